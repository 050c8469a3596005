import { randomUUID } from "node:crypto";

import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";

import { ErrorSummary } from "~/components/forms/error-summary";
import { createFormState } from "~/components/forms/form-state";
import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { rowIdParam } from "~/http/params.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { listLiveJobs } from "~/modules/jobs/job.server";
import { listAuditTrail } from "~/modules/audit/audit-log.server";
import AuditTrail from "~/modules/audit/audit-trail";
import { parseFilter, queuePath } from "~/modules/moderation/queue/filter";
import { DecisionForms } from "~/modules/moderation/review/decision-forms";
import { EditDiff } from "~/modules/moderation/review/edit-diff";
import { KeyboardShortcuts } from "~/modules/moderation/review/keyboard-shortcuts";
import {
  getListingForReview,
  noSuchListingToReview,
} from "~/modules/moderation/review/listing.server";
import {
  reviewActions,
  type ReviewFormError,
} from "~/modules/moderation/review/review-actions.server";
import {
  getReviewBadges,
  ReviewedListing,
  ReviewLock,
  ReviewWarnings,
} from "~/modules/moderation/review/reviewed-listing";
import { listBookings } from "~/modules/sponsorships/newsletters.server";

export const handle = {
  title: "Review",
  tabTitle: ({ listing }: SerializeFrom<typeof loader>) => `Review: ${listing.name}`,
};
export { revalidateAfterConflict as shouldRevalidate } from "~/http/revalidate-after-conflict";

const params = { id: rowIdParam(noSuchListingToReview) };

export const loader = routeLoader({ access: "admin", params }, async ({ db, params, url }) => {
  const filter = parseFilter(url.searchParams);
  const [listing, bookings, liveJobs, trail] = await Promise.all([
    getListingForReview(db, params.id, filter),
    listBookings(db, params.id),
    listLiveJobs(db, params.id),
    listAuditTrail(db, "places", params.id),
  ]);
  return json({ listing, bookings, liveJobs, trail, filter, batch: randomUUID() });
});

export const action = routeAction({ access: "admin", params }, reviewActions);

export default function ReviewListing() {
  const { listing, bookings, liveJobs, trail, filter, batch } = useLoaderData<typeof loader>();
  const answer: ReviewFormError | undefined = useActionData<typeof action>();
  const { id, name, next, previous } = listing;
  return (
    <>
      <PageHeader
        parent={{ to: queuePath(filter), label: `Back to ${listing.totalLabel}` }}
        title={<bdi>{name}</bdi>}
        subtitle={
          <span className="badges">
            {getReviewBadges(listing).map(({ label, tone }) => (
              <Badge key={label} tone={tone}>
                {label}
              </Badge>
            ))}
          </span>
        }
      />
      <ErrorSummary form={createFormState({ id: "review", lastResult: answer?.lastResult })} />
      <div className="review">
        <div className="review-lock">
          <ReviewLock listing={listing} />
        </div>
        <div className="sections">
          <ReviewWarnings
            listing={listing}
            bookings={bookings}
            liveJobs={liveJobs}
            here={paths.adminReview(id, filter)}
          />
          {listing.edit.length > 0 ? (
            <>
              <section className="card" aria-labelledby="changed">
                <h2 id="changed">What changed</h2>
                <EditDiff fields={listing.edit} />
              </section>
              <details className="card">
                <summary>The whole listing, with these changes</summary>
                <ReviewedListing listing={listing} />
              </details>
            </>
          ) : (
            <section className="card" aria-labelledby="listing">
              <h2 id="listing">Listing</h2>
              <ReviewedListing listing={listing} />
            </section>
          )}
          <div className="card">
            <AuditTrail entries={trail} subject="places" id={id} />
          </div>
        </div>
        <div className="review-side card">
          <DecisionForms
            key={`${id} ${listing.version}`}
            listing={listing}
            batch={answer?.batch ?? batch}
            answer={answer}
          />
          <nav aria-label="Other listings" className="links">
            {previous === null ? null : (
              <ButtonLink variant="link" to={paths.adminReview(previous, filter)} rel="prev">
                Previous in queue
              </ButtonLink>
            )}
            {next === null ? null : (
              <ButtonLink variant="link" to={paths.adminReview(next, filter)} rel="next">
                Next in queue
              </ButtonLink>
            )}
            <TextLink to={paths.fixListing(id, "name", paths.adminReview(id, filter))}>
              Edit listing
            </TextLink>
          </nav>
          <KeyboardShortcuts version={listing.version} />
        </div>
      </div>
    </>
  );
}
