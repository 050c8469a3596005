import { randomUUID } from "node:crypto";

import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { readField, getRequiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { draftOf, saveDraft } from "~/modules/listings/drafts.server";
import { editorChoices } from "~/modules/listings/listing.server";
import { ListingEditor } from "~/modules/listings/listing-editor";
import {
  askedOfForm,
  giveBack,
  giveBackTyped,
  judgeListing,
  LISTING_WORDS,
  picksIn,
  refillListing,
  typedListing,
  type EditorAnswer,
} from "~/modules/listings/listing-form.server";
import { SUBMITTED } from "~/modules/listings/rules";
import { addListing, listingRefusal } from "~/modules/listings/save-listing.server";
import { listingSchema } from "~/modules/listings/schema.server";

export const handle = { title: "Add a listing" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, url }) => {
  const [choices, draft] = await Promise.all([
    editorChoices(db),
    draftOf(db, url.searchParams.get("draft")),
  ]);
  return json({
    ...choices,
    required: getRequiredFields(listingSchema),
    submissionId: draft?.id ?? randomUUID(),
    draft: draft?.fields ?? null,
    picks: draft ? picksIn(draft.fields) : {},
  });
});

export const action = routeAction(
  { access: "signed in", refill: refillListing, labels: LISTING_WORDS },
  async ({ form, db }) => {
    const asked = askedOfForm(form);
    if (asked) return asked;
    if (readField(form, "intent") === "draft") return keepDraft(db, form);
    const judged = await judgeListing(form, null);
    if ("refused" in judged) return judged.refused;
    try {
      await addListing(db, judged.values, judged.address, judged.mailing);
    } catch (error) {
      const errors = listingRefusal(error);
      if (!errors) throw error;
      return giveBack(judged.submission, { errors, picks: judged.picks });
    }
    return redirectWithFlash(paths.home(), SUBMITTED);
  },
);

/** "Save and finish later": as typed, judged by nobody. */
async function keepDraft(db: Db, form: FormData) {
  try {
    await saveDraft(db, readField(form, "submission_id"), typedListing(form));
  } catch (error) {
    const errors = listingRefusal(error);
    if (!errors) throw error;
    return giveBackTyped(form, errors);
  }
  return redirectWithFlash(paths.listings(), "Your draft is saved. Finish it whenever you like.");
}

export default function NewListing() {
  const { submissionId, draft, picks, ...choices } = useLoaderData<typeof loader>();
  const answer: EditorAnswer | undefined = useActionData<typeof action>();
  return (
    <>
      <PageHeader
        title="Add a listing"
        subtitle="Somebody on the directory’s team reads it before it goes public."
      />
      <ListingEditor
        {...choices}
        answer={answer}
        saved={draft ?? undefined}
        picks={picks}
        hidden={{ submission_id: submissionId }}
        submitLabel="Submit For Approval"
        mayFinishLater
      />
    </>
  );
}
