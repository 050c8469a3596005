import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { FormSection } from "~/components/forms/form-section";
import { VersionConflict } from "~/components/forms/version-conflict";
import { Badge } from "~/components/ui/badge";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { versionConflictMessage, applySelectedVersions } from "~/http/version-conflict";
import { auditTrail } from "~/modules/audit/audit-log.server";
import { AuditTrail } from "~/modules/audit/audit-trail";
import { adminChoice } from "~/modules/listings/admin-choice.server";
import {
  columnInWords,
  editableValues,
  LISTING_FIELD_NAMES,
  LISTING_FIELDS,
} from "~/modules/listings/fields";
import { editorChoices, listingToEdit } from "~/modules/listings/listing.server";
import { ListingEditor } from "~/modules/listings/listing-editor";
import {
  askedOfForm,
  giveBack,
  judgeListing,
  LISTING_WORDS,
  peopleFor,
  refillListing,
  type EditorAnswer,
} from "~/modules/listings/listing-form.server";
import { RejectedEdit } from "~/modules/listings/rejected-edit";
import { roleIn, savedInWords, statusBadges } from "~/modules/listings/rules";
import { listingRefusal, saveListing } from "~/modules/listings/save-listing.server";
import { listingSchema } from "~/modules/listings/schema.server";
import { visibilityChoices } from "~/modules/listings/visibility-rules";
import { VisibilitySection } from "~/modules/listings/visibility-section";
import { ManagingSection } from "~/modules/managers/managing-section";
import { WaitingEdit } from "~/modules/listings/waiting-edit";

export const handle = { title: "Edit listing" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader({ access: "signed in" }, async ({ db, params, session }) => {
  const id = parseRowId(params.id);
  const isAdmin = session.user.admin;
  const [listing, choices, trail] = await Promise.all([
    listingToEdit(db, id),
    editorChoices(db),
    isAdmin && id !== null ? auditTrail(db, "places", id) : null,
  ]);
  const { name, status, version, changes_requested, hidden, archive_requested, person } = listing;
  const live = status === "pending-update" ? (listing.last_update as Record<string, unknown>) : {};
  const waiting = Object.fromEntries(
    Object.keys(live).map((column) => [column, listing[column as keyof typeof listing]]),
  );
  return json({
    listing: {
      id: listing.id,
      name,
      status,
      version,
      changes_requested,
      hidden,
      archive_requested,
    },
    role: roleIn(listing, session.user),
    edit: { live, waiting },
    rejected: listing.rejected && {
      reason: listing.rejected.reason,
      edit: listing.rejected.edit as Record<string, unknown>,
    },
    saved: editableValues(listing),
    approximate: listing.address_approximate,
    choices: { ...choices, required: getRequiredFields(listingSchema) },
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
  { access: "signed in", refill: refillListing, labels: LISTING_WORDS },
  async (context) => {
    const { form, db, params, session } = context;
    const [current, people] = await Promise.all([
      listingToEdit(db, parseRowId(params.id)),
      peopleFor(context),
    ]);
    const asked = askedOfForm(form, people);
    if (asked) return asked;
    applySelectedVersions(form, editableValues(current));
    const judged = await judgeListing(form, current, people);
    if ("refused" in judged) return judged.refused;
    try {
      const saved = await saveListing(
        db,
        current,
        judged.values,
        judged.address,
        judged.mailing,
        session.user.admin ? adminChoice(form) : {},
      );
      if (saved === "stale") {
        return giveBack(judged.submission, {
          status: 409,
          stale: true,
          errors: { "": [versionConflictMessage("listing")] },
          picks: judged.picks,
          people,
        });
      }
      return await redirectWithFlash(paths.home(), savedInWords(saved, session.user.admin));
    } catch (error) {
      const errors = listingRefusal(error);
      if (!errors) throw error;
      return giveBack(judged.submission, { errors, picks: judged.picks, people });
    }
  },
);

export default function EditListing() {
  const { listing, role, edit, rejected, saved, approximate, choices, admin, trail } =
    useLoaderData<typeof loader>();
  const answer: EditorAnswer | undefined = useActionData<typeof action>();
  // A form that came back is still an edit of the version it began from; being shown the newer one ends that.
  const typed = answer?.stale ? undefined : answer?.lastResult.initialValue["version"];
  const managed = role === "manager";
  const words = (column: string, value: unknown) => columnInWords(column, value, choices);
  const version = typeof typed === "string" ? typed : String(listing.version);
  return (
    <>
      <PageHeader
        title={listing.name}
        kicker="Edit listing"
        subtitle={statusBadges({ status: listing.status, premium: false }).map(
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
      {rejected ? <RejectedEdit {...rejected} words={words} /> : null}
      <WaitingEdit {...edit} words={words} />
      <ListingEditor
        {...choices}
        answer={answer}
        saved={saved}
        approximate={approximate}
        hidden={{ version }}
        submitLabel="Save Updates"
        {...(admin ? { admin } : {})}
        versions={
          answer?.stale ? (
            <VersionConflict
              fields={LISTING_FIELD_NAMES.map((name) => ({
                name,
                label: LISTING_FIELDS[name].label,
              }))}
              saved={saved}
              submitted={answer.lastResult.initialValue}
              formatValue={words}
              form="listing"
            />
          ) : null
        }
      />
      {(role === "owner" || managed) && visibilityChoices(listing, managed).length > 0 ? (
        <FormSection title="Who sees this listing">
          <VisibilitySection listing={listing} managed={managed} />
        </FormSection>
      ) : null}
      {role === "claimant" ? null : <ManagingSection listing={listing} managed={managed} />}
      {trail ? <AuditTrail entries={trail} subject="places" id={listing.id} /> : null}
    </>
  );
}
