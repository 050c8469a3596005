import { randomUUID } from "node:crypto";

import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { parseForm, refuse, requiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { addListing, listingCategories, listingRefusal } from "~/modules/listings/listing.server";
import { ListingEditor } from "~/modules/listings/listing-editor";
import { SUBMITTED } from "~/modules/listings/rules";
import { listingSchema } from "~/modules/listings/schema.server";

export const handle = { title: "Add a listing" };

export const loader = routeLoader({ access: "signed in" }, async ({ db }) =>
  json({ categories: await listingCategories(db), required: requiredFields(listingSchema), submissionId: randomUUID() }),
);

export const action = routeAction({ access: "signed in" }, async ({ form, db }) => {
  const submission = parseForm(form, listingSchema);
  if (submission.status !== "success") return refuse(submission);
  try {
    await addListing(db, submission.value);
  } catch (error) {
    const sentence = listingRefusal(error);
    if (!sentence) throw error;
    return refuse(submission, { errors: { "": [sentence] } });
  }
  return redirectWithFlash(paths.home(), SUBMITTED);
});

export default function NewListing() {
  const { categories, required, submissionId } = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>();
  return (
    <>
      <PageHeader title="Add a listing" subtitle="Somebody on the directory’s team reads it before it goes public." />
      <ListingEditor
        categories={categories}
        required={required}
        lastResult={refused?.lastResult}
        hidden={{ submission_id: submissionId }}
        submitLabel="Submit For Approval"
      />
    </>
  );
}
