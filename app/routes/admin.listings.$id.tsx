import { randomUUID } from "node:crypto";

import { json } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { auditTrail } from "~/modules/audit/audit-log.server";
import { AuditTrail } from "~/modules/audit/audit-trail";
import { EditDiff } from "~/modules/moderation/edit-diff";
import { totalInWords } from "~/modules/moderation/decision-rules";
import { noSuchListingToReview } from "~/modules/moderation/listing-details.server";
import { listingsFilter, listingsTable } from "~/modules/moderation/listings-filter";
import { ReviewClaim } from "~/modules/moderation/review-claim";
import { ReviewDecisions } from "~/modules/moderation/review-decisions";
import { reviewActions, type ReviewAnswer } from "~/modules/moderation/review-form.server";
import { ReviewKeys } from "~/modules/moderation/review-keys";
import { reviewBadges } from "~/modules/moderation/review-rules";
import { ListingInFull, ReviewWarnings } from "~/modules/moderation/reviewed-listing";
import { listingForReview } from "~/modules/moderation/reviewed-listing.server";

export const handle = { title: "Review a listing" };
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

export const loader = routeLoader({ access: "admin" }, async ({ db, params, url }) => {
  const id = parseRowId(params.id);
  if (id === null) throw noSuchListingToReview();
  const filter = listingsFilter(url.searchParams);
  const [listing, trail] = await Promise.all([
    listingForReview(db, id, filter),
    auditTrail(db, "places", id),
  ]);
  return json({ listing, trail, filter, batch: randomUUID() });
});

export const action = routeAction({ access: "admin" }, reviewActions);

export default function ReviewListing() {
  const { listing, trail, filter, batch } = useLoaderData<typeof loader>();
  const answer: ReviewAnswer | undefined = useActionData<typeof action>();
  const { id, name, next, previous } = listing;
  return (
    <div className="sections">
      <PageHeader
        kicker={
          <TextLink
            to={listingsTable(filter)}
          >{`Back to ${totalInWords(listing.total, listing.more)}`}</TextLink>
        }
        title={name}
        subtitle={
          <span className="badges">
            {reviewBadges(listing).map(({ label, tone }) => (
              <Badge key={label} tone={tone}>
                {label}
              </Badge>
            ))}
          </span>
        }
      />
      <div className="fields">
        <ErrorSummary form={createFormState({ id: "review", lastResult: answer?.lastResult })} />
        <ReviewWarnings listing={listing} />
        <ReviewClaim reviewer={listing.reviewer} />
        <ReviewDecisions
          key={`${id} ${listing.version}`}
          listing={listing}
          batch={answer?.batch ?? batch}
          answer={answer}
        />
        <nav aria-label="Listings of this table" className="links">
          {previous === null ? null : (
            <ButtonLink variant="link" to={paths.adminReview(previous, filter)} rel="prev">
              Previous listing
            </ButtonLink>
          )}
          {next === null ? null : (
            <ButtonLink variant="link" to={paths.adminReview(next, filter)} rel="next">
              Next listing
            </ButtonLink>
          )}
          <TextLink to={paths.listing(id)}>Edit listing</TextLink>
        </nav>
        <ReviewKeys listing={id} />
      </div>
      {listing.edit.length > 0 ? (
        <section aria-labelledby="changed">
          <h2 id="changed">What the edit changes</h2>
          <EditDiff fields={listing.edit} />
        </section>
      ) : null}
      <section aria-labelledby="listing">
        <h2 id="listing">The listing{listing.edit.length > 0 ? ", as it would be" : ""}</h2>
        <ListingInFull listing={listing} />
      </section>
      <AuditTrail entries={trail} subject="places" id={id} />
    </div>
  );
}
