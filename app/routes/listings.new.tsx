import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { useState } from "react";

import { CompareVersions } from "~/components/forms/compare-versions";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { requireFormId } from "~/http/form-id.server";
import { readField, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { getListingParent } from "~/modules/listings/listing-parent";
import { toDraftUrl } from "~/modules/drafts/draft-links";
import {
  deleteSubmittedDraft,
  explainDraftRefusal,
  makeDraftTab,
  readDraftTab,
} from "~/modules/drafts/form-drafts.server";
import { DraftOffers } from "~/modules/drafts/offered-draft";
import { correctListing } from "~/modules/listings/correct-listing.server";
import { getDraftName } from "~/modules/listings/dashboard-rules";
import { findNewestDraft, getDraft, saveDraft } from "~/modules/listings/drafts.server";
import { getEditorOptions } from "~/modules/listings/listing.server";
import { ListingEditor } from "~/modules/listings/listing-editor";
import {
  handleEditorButton,
  LISTING_FORM_LABELS,
  readDraftPicks,
  readTypedForm,
  refillListingForm,
  typedFormResponse,
  validateListing,
  type EditorResult,
} from "~/modules/listings/listing-form.server";
import { SUBMITTED, UNPLACED } from "~/modules/listings/rules";
import { addListing, getListingErrors, isUnplaced } from "~/modules/listings/save-listing.server";
import { listingSchema } from "~/modules/listings/schema.server";
import { LISTING_REFUSALS } from "~/modules/listings/refusals";

export const handle = { title: "Add a listing" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, url }) => {
  const submissionId = requireFormId(url);
  const [options, draft, newest] = await Promise.all([
    getEditorOptions(db),
    getDraft(db, submissionId),
    findNewestDraft(db),
  ]);
  return json({
    ...options,
    required: getRequiredFields(listingSchema),
    hidden: { submission_id: submissionId, ...makeDraftTab(draft?.updatedAt) },
    draft: draft?.fields ?? null,
    picks: draft ? readDraftPicks(draft.fields) : {},
    offer: draft || !newest ? null : { ...newest, name: getDraftName(newest) },
  });
});

export const action = routeAction(
  {
    access: "signed in",
    refill: refillListingForm,
    labels: LISTING_FORM_LABELS,
    refusals: LISTING_REFUSALS,
  },
  async ({ form, db, session, log }) => {
    const editor = { user: session.user.id };
    const response = await handleEditorButton(form, editor);
    if (response) return response;
    if (readField(form, "intent") === "draft") return saveFormAsDraft(db, form);
    const listing = await validateListing(form, null, editor);
    if ("invalid" in listing) return listing.invalid;
    let unplaced = isUnplaced(listing);
    let message = SUBMITTED;
    try {
      const made = await addListing(db, session.user, listing);
      const corrected = made === null ? null : await correctListing(db, made, form, editor);
      if (corrected && "invalid" in corrected) return corrected.invalid;
      if (corrected) {
        unplaced = corrected.saved.unplaced;
        if (corrected.saved.changed) message = corrected.message;
      }
    } catch (error) {
      const errors = getListingErrors(error);
      if (!errors) throw error;
      return listing.errorResponse({ errors });
    }
    await deleteSubmittedDraft({ form, db, log }, null);
    return redirectWithFlash(paths.home(), unplaced ? `${message} ${UNPLACED}` : message);
  },
);

/** "Finish later": stores the form as typed, without validating it. */
async function saveFormAsDraft(db: Db, form: FormData) {
  try {
    const id = readField(form, "submission_id");
    await saveDraft(db, id, readTypedForm(form), readDraftTab(form));
  } catch (error) {
    const sentence = explainDraftRefusal(error);
    const errors = getListingErrors(error) ?? (sentence && { "": [sentence] });
    if (!errors) throw error;
    return typedFormResponse(form, { errors });
  }
  return redirectWithFlash(paths.listings(), "Draft saved. Come back to it any time.");
}

export default function NewListing() {
  const { hidden: sent, draft, picks, offer, ...options } = useLoaderData<typeof loader>();
  const result: EditorResult | undefined = useActionData<typeof action>();
  // It stays the same form when its page is loaded again.
  const [hidden] = useState(sent);
  return (
    <>
      <PageHeader
        title="Add a listing"
        parent={getListingParent()}
        subtitle="Our team reviews every listing before it goes live."
      />
      {offer && !result ? <DraftOffers of="listing" drafts={[offer]} /> : null}
      <ListingEditor
        {...options}
        result={result}
        saved={draft ?? undefined}
        picks={picks}
        hidden={{ ...hidden }}
        submitLabel="Submit For Approval"
        draftUrl={toDraftUrl()}
        versions={<CompareVersions page={result?.editPage} form="listing" />}
      />
    </>
  );
}
