import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Badge } from "~/components/ui/badge";
import { ButtonLink } from "~/components/ui/button";
import { LongText } from "~/components/ui/long-text";
import { DateText } from "~/components/ui/date-text";
import { Callout } from "~/components/ui/callout";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatCount } from "~/text/counts";
import { isolate } from "~/text/isolate";

import type { ListingsFilter } from "../queue/filter";
import { canBeApproved, describeRemoval } from "../decisions/rules";
import { EditDiff } from "./edit-diff";
import type { ListingDetails } from "./listing.server";

/** What the details page loads, and so does the dialog of a queue. */
export interface DetailsData {
  listing: ListingDetails;
  /** The filter of the queue that the details were opened from. */
  filter: ListingsFilter;
}

/** A listing at a glance, without its name: its fields, its edit, and its owner. */
export function ListingFacts({ listing }: { listing: ListingDetails }) {
  const { id, name, facts, owner, description, edit } = listing;
  return (
    <>
      <p className="badges">
        <Badge tone={listing.statusBadge.tone}>{listing.statusBadge.label}</Badge>
        {listing.archiveRequested ? <Badge tone="waiting">Removal requested</Badge> : null}
        {listing.removal === null ? null : (
          <Badge tone="waiting">{describeRemoval(listing.removal)}</Badge>
        )}
        {listing.reviewer === null ? null : (
          <Badge>{`${isolate(listing.reviewer)} is reviewing it`}</Badge>
        )}
        {listing.openReports > 0 ? (
          <Badge tone="wrong">{formatCount(listing.openReports, "open report")}</Badge>
        ) : null}
      </p>
      {listing.changesRequested === null ? null : (
        <Callout tone="waiting" title="Changes requested">
          {listing.changesRequested}
        </Callout>
      )}
      {edit.length > 0 ? (
        <section aria-labelledby="edit">
          <p id="edit">
            <b>What changed</b>
          </p>
          <EditDiff fields={edit} />
        </section>
      ) : null}
      <dl className="details-list">
        {facts.map(({ label, text }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir="auto">{text}</dd>
          </div>
        ))}
        <div>
          <dt>Business Owner</dt>
          <dd>
            {owner === null ? (
              "No owner"
            ) : (
              <>
                <bdi>{owner.name ?? "No name given"}</bdi>
                {", "}
              </>
            )}
            {owner === null ? null : (
              <TextLink to={paths.adminUser(owner.id)} about={owner.name ?? undefined}>
                View profile
              </TextLink>
            )}
          </dd>
        </div>
        <div>
          <dt>Last changed</dt>
          <dd>
            <DateText at={listing.modified} />
          </dd>
        </div>
        <div>
          <dt>About/Bio</dt>
          <dd className="whitespace-pre-wrap">
            <LongText about={`About/Bio of ${name} (${id})`}>{description}</LongText>
          </dd>
        </div>
      </dl>
    </>
  );
}

/** The actions of the details. */
export function ListingActions({ listing, filter, close }: DetailsData & { close: ReactNode }) {
  return (
    <div className="buttons">
      {canBeApproved(listing.status, listing.archiveRequested) ? (
        <PostForm intent="approve" action={paths.adminListingDetails(listing.id, filter)}>
          <input type="hidden" name="version" value={listing.version} />
          <SubmitButton busyText="Approving">Approve</SubmitButton>
        </PostForm>
      ) : null}
      <ButtonLink variant="quiet" to={paths.adminReview(listing.id, filter)}>
        Show details
      </ButtonLink>
      <ButtonLink
        variant="quiet"
        to={paths.listing(listing.id, paths.adminListingDetails(listing.id, filter))}
      >
        Edit
      </ButtonLink>
      {close}
    </div>
  );
}
