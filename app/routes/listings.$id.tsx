import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { lazy, Suspense } from "react";

import { FormSection } from "~/components/forms/form-section";
import { Badge } from "~/components/ui/badge";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { getRequiredFields } from "~/http/form.server";
import { rowIdParam } from "~/http/params.server";
import { routeAction, routeLoader } from "~/http/route.server";
import { paths } from "~/http/paths";
import { toSafePath } from "~/http/safe-path.server";
import {
  applySelectedVersions,
  compareVersions,
  versionConflictMessage,
} from "~/http/version-conflict";
import {
  deleteSubmittedDraft,
  findFormDraft,
  handleDraftButton,
  offerDraft,
} from "~/modules/drafts/form-drafts.server";
import { toDraftUrl } from "~/modules/drafts/draft-links";
import { listAuditTrail } from "~/modules/audit/audit-log.server";
import { PendingEdit, RejectedEdit } from "~/modules/listings/edit-status";
import { LISTING_FIELD_NAMES, LISTING_FIELDS } from "~/modules/listings/fields";
import { formatColumn } from "~/modules/listings/format-column";
import {
  getEditorOptions,
  getListingToEdit,
  noSuchListing,
} from "~/modules/listings/listing.server";
import { ListingEditor } from "~/modules/listings/listing-editor";
import {
  findPeopleForAdmin,
  getAdminErrors,
  handleEditorButton,
  LISTING_FORM_LABELS,
  readAdminChanges,
  refillListingForm,
  toEditorResult,
  toListingFormValues,
  typedFormResponse,
  validateListing,
  type EditorResult,
} from "~/modules/listings/listing-form.server";
import { formatSaveResult, getListingRole, getStatusBadges } from "~/modules/listings/rules";
import { getListingErrors, saveListing } from "~/modules/listings/save-listing.server";
import { listingSchema } from "~/modules/listings/schema.server";
import { getVisibilityIntents } from "~/modules/listings/visibility-rules";
import { VisibilitySection } from "~/modules/listings/visibility-section";
import { ManagingSection } from "~/modules/managers/managing-section";

// Few see these, and the others need not load their code.
const AuditTrail = lazy(() => import("~/modules/audit/audit-trail"));
const VersionConflict = lazy(() => import("~/components/forms/version-conflict"));
const DraftOffer = lazy(() => import("~/modules/drafts/draft-offer"));

export const handle = {
  title: "Edit listing",
  tabTitle: ({ listing }: SerializeFrom<typeof loader>) => `Edit ${listing.name}`,
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
  const { offered, continued } = offerDraft(draft, saved, url);
  const { name, status, version, changes_requested, hidden, archive_requested, person } = listing;
  const live = status === "pending-update" ? (listing.last_update as Record<string, unknown>) : {};
  const waiting = Object.fromEntries(
    Object.keys(live).map((column) => [column, listing[column as keyof typeof listing]]),
  );
  return json({
    listing: { id, name, status, version, changes_requested, hidden, archive_requested },
    role: getListingRole(listing, session.user),
    edit: { live, waiting },
    rejected: listing.rejected && {
      reason: listing.rejected.reason,
      edit: listing.rejected.edit as Record<string, unknown>,
    },
    saved,
    offered,
    continued: continued && toEditorResult(continued),
    approximate: listing.address_approximate,
    options: { ...options, required: getRequiredFields(listingSchema) },
    admin: isAdmin
      ? {
          status,
          owner: person && { id: person.id, name: person.full_name },
          hasOwnerEmail: listing.owner_email !== null,
        }
      : null,
    trail,
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
    const response = await handleEditorButton(form, people);
    if (response) return response;
    const drafted = await handleDraftButton(context, page, paths.listings());
    if (drafted)
      return "errors" in drafted ? typedFormResponse(form, { ...drafted, people }) : drafted;
    applySelectedVersions(form, toListingFormValues(current));
    const listing = await validateListing(form, current, people);
    if ("invalid" in listing) return listing.invalid;
    try {
      const isAdmin = session.user.admin;
      const changes = isAdmin ? readAdminChanges(form) : {};
      const invalid = getAdminErrors(changes);
      if (invalid) return listing.errorResponse({ errors: invalid });
      const saved = await saveListing(db, current, listing, changes);
      if (saved === "stale") {
        const errors = { "": [versionConflictMessage("listing")] };
        return listing.errorResponse({ errors, stale: true, status: 409 });
      }
      await deleteSubmittedDraft(context, page);
      // A queue that leads here for one fix is where it goes on.
      const back = toSafePath(context.url.searchParams.get("back"));
      return await redirectWithFlash(back, formatSaveResult(saved, isAdmin));
    } catch (error) {
      const errors = getListingErrors(error);
      if (!errors) throw error;
      return listing.errorResponse({ errors });
    }
  },
);

export default function EditListing() {
  const data = useLoaderData<typeof loader>();
  const { listing, role, edit, rejected, saved, approximate, options, admin, trail } = data;
  const answer: EditorResult | undefined = useActionData<typeof action>();
  const result = answer ?? data.continued ?? undefined;
  const page = paths.listing(listing.id);
  // A form with errors still edits the version it was opened with. After a conflict, the newer one.
  const typed = result?.stale ? undefined : result?.lastResult.initialValue["version"];
  const managed = role === "manager";
  const format = (column: string, value: unknown) => formatColumn(column, value, options);
  const version = typeof typed === "string" ? typed : String(listing.version);
  return (
    <>
      <PageHeader
        title={listing.name}
        kicker="Edit listing"
        subtitle={getStatusBadges({ status: listing.status, premium: false }).map(
          ({ label, tone }) => (
            <Badge key={label} tone={tone}>
              {label}
            </Badge>
          ),
        )}
      />
      {listing.changes_requested ? (
        <Callout tone="waiting" title="Changes requested">
          {listing.changes_requested}
        </Callout>
      ) : null}
      {rejected ? <RejectedEdit {...rejected} format={format} /> : null}
      <PendingEdit {...edit} format={format} />
      {data.offered && !answer ? (
        <Suspense>
          <DraftOffer savedAt={data.offered} page={page} />
        </Suspense>
      ) : null}
      <ListingEditor
        {...options}
        result={result}
        saved={saved}
        approximate={approximate}
        hidden={{ version }}
        submitLabel="Save Updates"
        draftUrl={data.offered ? undefined : toDraftUrl(page)}
        {...(admin ? { admin } : {})}
        versions={
          result?.stale ? (
            <Suspense>
              <VersionConflict
                rows={compareVersions(
                  LISTING_FIELD_NAMES.map((name) => ({ name, label: LISTING_FIELDS[name].label })),
                  saved,
                  result.lastResult.initialValue,
                  format,
                )}
                form="listing"
              />
            </Suspense>
          ) : null
        }
      />
      {(role === "owner" || managed) && getVisibilityIntents(listing, managed).length > 0 ? (
        <FormSection title="Who sees this listing">
          <VisibilitySection listing={listing} managed={managed} />
        </FormSection>
      ) : null}
      {role === "claimant" ? null : <ManagingSection listing={listing} managed={managed} />}
      {trail ? (
        <Suspense>
          <AuditTrail entries={trail} subject="places" id={listing.id} />
        </Suspense>
      ) : null}
    </>
  );
}
