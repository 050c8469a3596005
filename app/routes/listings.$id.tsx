import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { Badge } from "~/components/ui/badge";
import { Notice } from "~/components/ui/notice";
import { PageHeader } from "~/components/ui/page-header";
import { redirectWithFlash } from "~/http/flash.server";
import { parseForm, refuse, requiredFields } from "~/http/form.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { listingCategories, listingId, listingRefusal, listingToEdit, saveListing } from "~/modules/listings/listing.server";
import { ListingEditor } from "~/modules/listings/listing-editor";
import { NewerVersion } from "~/modules/listings/newer-version";
import { editableValues, statusBadges, SUBMITTED } from "~/modules/listings/rules";
import { listingSchema } from "~/modules/listings/schema.server";

export const handle = { title: "Edit listing" };

export const loader = routeLoader({ access: "signed in" }, async ({ db, params }) => {
  const [listing, categories] = await Promise.all([listingToEdit(db, listingId(params.id)), listingCategories(db)]);
  return json({ listing, categories, required: requiredFields(listingSchema) });
});

export const action = routeAction({ access: "signed in" }, async ({ form, db, params, session }) => {
  const id = listingId(params.id);
  const submission = parseForm(form, listingSchema);
  if (submission.status !== "success") {
    await listingToEdit(db, id);
    return refuse(submission);
  }
  try {
    if ((await saveListing(db, id, submission.value)) === "stale") {
      return refuse(submission, { status: 409, errors: { "": [STALE] } });
    }
  } catch (error) {
    const sentence = listingRefusal(error);
    if (!sentence) throw error;
    return refuse(submission, { errors: { "": [sentence] } });
  }
  return redirectWithFlash(paths.home(), session.user.admin ? "The listing is saved." : SUBMITTED);
});

const STALE =
  "Somebody saved this listing while you had it open. Your version is still in the form; theirs is shown below. Save again to put yours over it.";

export default function EditListing() {
  const { listing, categories, required } = useLoaderData<typeof loader>();
  const refused = useActionData<typeof action>();
  const typed = refused?.lastResult.initialValue;
  const stale = refused?.lastResult.error?.[""]?.includes(STALE);
  return (
    <>
      <PageHeader
        title={listing.name}
        kicker="Edit listing"
        subtitle={statusBadges({ status: listing.status, premium: false }).map(({ label, tone }) => (
          <Badge key={label} tone={tone}>
            {label}
          </Badge>
        ))}
      />
      {listing.changes_requested ? (
        <Notice tone="waiting" title="Changes requested">
          {listing.changes_requested}
        </Notice>
      ) : null}
      {stale && typed ? <NewerVersion saved={editableValues(listing)} typed={typed} categories={categories} /> : null}
      <ListingEditor
        categories={categories}
        required={required}
        lastResult={refused?.lastResult}
        saved={editableValues(listing)}
        hidden={{ version: String(listing.version) }}
        submitLabel="Save Updates"
      />
    </>
  );
}
