import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { useState } from "react";

import { useOpenedForm } from "~/components/forms/edited-version";
import { lazyPart } from "~/components/layout/lazy-part";
import { Badge } from "~/components/ui/badge";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { getRequiredFields, readField } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { readBack } from "~/http/safe-path.server";
import { versionConflictMessage } from "~/http/version-conflict";
import { getListingParent } from "~/modules/listings/listing-parent";
import {
  deleteSubmittedDraft,
  findFormDraft,
  handleDraftButton,
  offerDraft,
} from "~/modules/drafts/form-drafts.server";
import { OfferedDraft } from "~/modules/drafts/offered-draft";
import { listAuditTrail } from "~/modules/audit/audit-log.server";
import { describeEditStatus, getFormBadge } from "~/modules/listings/edit-status.server";
import {
  getEditorOptions,
  getListingToEdit,
  noSuchListing,
} from "~/modules/listings/listing.server";
import { ListingEditor } from "~/modules/listings/listing-editor";
import { EditStatus, ListingConflict, ListingOptions } from "~/modules/listings/listing-parts";
import {
  findPeopleForAdmin,
  getAdminErrors,
  handleEditorButton,
  LISTING_FORM_LABELS,
  readAdminChanges,
  refillListingForm,
  toEditorResult,
  toListingColumns,
  toListingFormValues,
  typedFormResponse,
  validateListing,
  type EditorResult,
} from "~/modules/listings/listing-form.server";
import {
  formatPlace,
  formatSaveResult,
  getListingRole,
  getSaveNote,
} from "~/modules/listings/rules";
import { toListingAdmin } from "~/modules/listings/listing-admin.server";
import { nameOpenedValues, settleVersions } from "~/modules/listings/opened-values.server";
import { getListingErrors, saveListing } from "~/modules/listings/save-listing.server";
import { listingSchema } from "~/modules/listings/schema.server";

// For admins, below the form.
const AuditTrail = lazyPart("audit-trail", () => import("~/modules/audit/audit-trail"));

export const handle = {
  title: "Edit listing",
  tabTitle: ({ listing }: SerializeFrom<typeof loader>) => `Edit ${listing.name}`,
  parent: ({ parent }: SerializeFrom<typeof loader>) => parent.to,
};
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { id: rowIdParam(noSuchListing) };

export const loader = routeLoader({ access: "signed in", params }, async (context) => {
  const { db, session, url } = context;
  const { id } = context.params;
  const isAdmin = session.user.admin;
  const [listing, options, trail, draft] = await Promise.all([
    getListingToEdit(db, id),
    getEditorOptions(db),
    isAdmin ? listAuditTrail(db, "places", id) : null,
    findFormDraft(db, paths.listing(id)),
  ]);
  const saved = toListingFormValues(listing);
  const { name, status, version, hidden, archive_requested } = listing;
  const role = getListingRole(listing, session.user);
  const back = readBack(url);
  return json({
    listing: { id, name, status, version, hidden, archive_requested },
    opened: nameOpenedValues(listing, session.user),
    role,
    parent: getListingParent(back, role),
    badge: getFormBadge(listing),
    status: describeEditStatus(listing, options, role, back),
    saved,
    draft: offerDraft(draft, {
      page: paths.listing(id),
      saved: toListingColumns(listing),
      url,
      toResult: toEditorResult,
    }),
    approximate: listing.address_approximate,
    options: { ...options, required: getRequiredFields(listingSchema) },
    admin: isAdmin ? toListingAdmin(listing) : null,
    trail,
    note: getSaveNote(status, isAdmin ? "admin" : role),
    preview: {
      url: paths.previewListing(id, back),
      place: formatPlace(listing),
      featured: listing.premium,
    },
  });
});

export const action = routeAction(
  { access: "signed in", params, refill: refillListingForm, labels: LISTING_FORM_LABELS },
  async (context) => {
    const { form, db, session } = context;
    const page = paths.listing(context.params.id);
    const [current, people] = await Promise.all([
      getListingToEdit(db, context.params.id),
      findPeopleForAdmin(context),
    ]);
    const editor = { user: session.user.id, people };
    const response =
      (await handleEditorButton(form, editor)) ??
      (await handleDraftButton(context, page, paths.listings(), (errors) =>
        typedFormResponse(form, { errors, people }),
      ));
    if (response) return response;
    settleVersions(form, current, session.user);
    const listing = await validateListing(form, current, editor);
    if ("invalid" in listing) return listing.invalid;
    try {
      const changes = session.user.admin ? readAdminChanges(form) : {};
      const invalid = getAdminErrors(changes);
      if (invalid) return listing.errorResponse({ errors: invalid });
      const saved = await saveListing(db, current, listing, changes);
      if (saved === "stale") {
        const errors = { "": [versionConflictMessage("listing")] };
        return listing.errorResponse({ errors, stale: true, status: 409 });
      }
      await deleteSubmittedDraft(context, page);
      // The list, queue, batch, or search that led here is where the user goes on.
      return await redirectWithFlash(
        readBack(context.url) ?? paths.home(),
        formatSaveResult(saved, session.user.admin, readField(form, "name").trim()),
      );
    } catch (error) {
      const errors = getListingErrors(error);
      if (!errors) throw error;
      return listing.errorResponse({ errors });
    }
  },
);

export default function EditListing() {
  const { listing, parent, role, badge, saved, draft, options, ...page } =
    useLoaderData<typeof loader>();
  const answer: EditorResult | undefined = useActionData<typeof action>();
  const result = answer ?? draft.continued ?? undefined;
  const edited = useOpenedForm(listing.version, page.opened, result);
  // It stays the same form when its page is loaded again.
  const [ids] = useState(draft.ids);
  return (
    <>
      <PageHeader
        title={<bdi>{listing.name}</bdi>}
        parent={parent}
        kicker="Edit listing"
        subtitle={<Badge tone={badge.tone}>{badge.label}</Badge>}
      />
      {page.status ? (
        // After a conflict, the comparison below has the saved version, and what to do about it comes first.
        <EditStatus {...page.status} changes={result?.stale ? [] : page.status.changes} />
      ) : null}
      {answer ? null : <OfferedDraft {...draft} />}
      <ListingEditor
        {...options}
        result={result}
        saved={saved}
        approximate={page.approximate}
        hidden={{ ...edited, ...ids }}
        submitLabel="Save Updates"
        draftUrl={draft.saveUrl}
        preview={page.preview}
        note={page.note}
        {...(page.admin ? { admin: page.admin } : {})}
        versions={
          result?.stale ? (
            <ListingConflict
              saved={saved}
              typed={result.lastResult.initialValue}
              options={options}
              status={page.admin?.status}
            />
          ) : null
        }
      />
      {role === "claimant" ? null : <ListingOptions listing={listing} role={role} />}
      {page.trail ? <AuditTrail entries={page.trail} subject="places" id={listing.id} /> : null}
    </>
  );
}
