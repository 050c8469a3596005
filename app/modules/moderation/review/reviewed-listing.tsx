import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { Callout } from "~/components/ui/callout";
import { DateText, TimestampText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import {
  getStatusBadges,
  getStatusLabel,
  HIDDEN,
  type StatusBadge,
} from "~/modules/listings/rules";
import type { LiveJob } from "~/modules/jobs/job.server";
import type { Booking } from "~/modules/sponsorships/newsletters.server";
import { formatDays } from "~/modules/sponsorships/rules";
import { formatCount } from "~/text/counts";
import { isolate } from "~/text/isolate";

import { ARCHIVE_INSTEAD, describeRemoval, REMOVAL_REQUESTED } from "../decisions/rules";
import type { ListingForReview } from "./listing.server";

/** The badges of a listing: its status as admins name it, Featured, and whether it is hidden. */
export function getReviewBadges({
  status,
  premium,
  hidden,
}: Pick<ListingForReview, "status" | "premium" | "hidden">): StatusBadge[] {
  const badges = getStatusBadges({ status, premium }).map((badge, index) =>
    index === 0 ? { ...badge, label: getStatusLabel(status) } : badge,
  );
  return hidden ? [...badges, HIDDEN] : badges;
}

/** What an admin should know before deciding, the most important first. */
export function ReviewWarnings({
  listing,
  bookings,
  liveJobs,
  here,
}: {
  listing: ListingForReview;
  bookings: readonly Booking[];
  /** The paid jobs that the public can see with it. */
  liveJobs: readonly LiveJob[];
  here: string;
}) {
  const { id, blockers, archive_requested, status, removal, open_reports, changes_requested } =
    listing;
  return (
    <>
      {blockers.length > 0 ? (
        <Callout tone="problem" title="Can’t be approved yet">
          <p>
            {blockers.join(" ")}{" "}
            <TextLink
              to={paths.fixListing(
                id,
                listing.owner_email === null ? "owner_email" : "rawaddress",
                here,
              )}
            >
              Fix it
            </TextLink>
          </p>
        </Callout>
      ) : null}
      {archive_requested && status !== "archived" ? (
        <Callout tone="waiting">
          {status === "new" || status === "flagged" ? ARCHIVE_INSTEAD : REMOVAL_REQUESTED}
        </Callout>
      ) : null}
      {removal === null ? null : (
        <Callout tone="waiting" title={describeRemoval(removal)}>
          {status === "archived"
            ? "To put the listing back in the directory, reopen it first."
            : "Approving the listing puts it back in the directory."}
        </Callout>
      )}
      {bookings.length === 0 ? null : (
        <Callout tone="waiting" title="Booked for newsletters">
          <p>
            {status === "archived"
              ? "Don’t feature this listing, because no one can find it. To cancel, refund the order:"
              : "Archiving or flagging this listing doesn’t cancel its newsletters. To cancel, refund the order:"}{" "}
            {bookings.map(({ order, dates }, index) => (
              <span key={dates.join()}>
                {index === 0 ? null : " · "}
                {order === null ? (
                  formatDays(dates)
                ) : (
                  <TextLink to={paths.adminOrder(order)} about="Order of newsletters">
                    {formatDays(dates)}
                  </TextLink>
                )}
              </span>
            ))}
          </p>
        </Callout>
      )}
      {liveJobs.length === 0 ? null : (
        <Callout tone="waiting" title={formatCount(liveJobs.length, "paid job")}>
          <p>
            {`Archiving or flagging the listing hides ${liveJobs.length === 1 ? "the job, but its" : "them, but their"} paid days keep counting down:`}{" "}
            {liveJobs.map((job, index) => (
              <span key={job.id}>
                {index === 0 ? null : " · "}
                <TextLink to={paths.job(job.id)}>{isolate(job.title)}</TextLink>
              </span>
            ))}
          </p>
        </Callout>
      )}
      {open_reports > 0 ? (
        <Callout tone="waiting">
          <p>
            {`${formatCount(open_reports, "open report")} about this listing.`}{" "}
            <TextLink to={paths.adminReports()}>User Reports</TextLink>
          </p>
        </Callout>
      ) : null}
      {changes_requested === null ? null : (
        <Callout tone="waiting" title="Changes requested">
          <p className="whitespace-pre-wrap" dir="auto">
            {changes_requested}
          </p>
        </Callout>
      )}
    </>
  );
}

/**
 * Who has the review lock, and the buttons that take it and release it. It expires by itself. Who takes it is told when
 * they saw another version.
 */
export function ReviewLock({
  listing: { reviewer, version },
}: {
  listing: Pick<ListingForReview, "reviewer" | "version">;
}) {
  if (reviewer === null) {
    return (
      <PostForm intent="claim" className="buttons">
        <SubmitButton variant="quiet" name="version" value={String(version)}>
          Start reviewing
        </SubmitButton>
        <p className="hint">
          No one is reviewing this listing. Other admins will see when you start.
        </p>
      </PostForm>
    );
  }
  if (reviewer.mine) {
    return (
      <PostForm intent="release" className="buttons">
        <SubmitButton variant="quiet">Stop reviewing</SubmitButton>
        <p className="hint">
          You’re reviewing this listing. Other admins see that until{" "}
          <TimestampText at={reviewer.until} without="day" />.
        </p>
      </PostForm>
    );
  }
  return (
    <Callout
      tone="waiting"
      title={`${isolate(reviewer.name ?? "Another admin")} is reviewing this listing`}
    >
      <p>
        Since <TimestampText at={reviewer.since} without="zone" />. Their turn ends at{" "}
        <TimestampText at={reviewer.until} without="day" />.
      </p>
      <PostForm intent="takeOver" className="mt-2">
        <SubmitButton variant="quiet" name="version" value={String(version)}>
          Take over
        </SubmitButton>
      </PostForm>
    </Callout>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="whitespace-pre-wrap" dir="auto">
        {children}
      </dd>
    </div>
  );
}

function Owner({ listing: { owner, owner_email } }: { listing: ListingForReview }) {
  const contact =
    owner &&
    [owner.email, owner.phone, owner.pronouns && `Pronouns: ${owner.pronouns}`]
      .map((text) => isolate(text ?? ""))
      .filter(Boolean)
      .join(", ");
  return (
    <>
      <Fact label="Business Owner">
        {owner === null ? (
          "No owner"
        ) : (
          <>
            <bdi>{owner.full_name ?? "No name given"}</bdi>,{" "}
            <TextLink to={paths.adminUser(owner.id)} about={owner.full_name ?? "No name given"}>
              View profile
            </TextLink>
            {contact ? (
              <p className="hint" dir="auto">
                {contact}
              </p>
            ) : null}
          </>
        )}
      </Fact>
      <Fact label="Owner email">{owner_email ?? "Missing"}</Fact>
    </>
  );
}

const isLink = (text: string) => /^https?:\/\//i.test(text);

/** Every value of a listing. */
export function ReviewedListing({ listing }: { listing: ListingForReview }) {
  const { facts, checked, empty, created_at, modified_at } = listing;
  return (
    <dl className="details-list">
      {facts.map(({ label, text }) => (
        <Fact key={label} label={label}>
          {isLink(text) ? <TextLink href={text}>{text}</TextLink> : text}
        </Fact>
      ))}
      <Fact label="Selected">{checked.join("\n") || "Nothing"}</Fact>
      {empty.length > 0 ? (
        <Fact label="Left blank">
          <details>
            <summary>{formatCount(empty.length, "field")}</summary>
            <div>{empty.join("\n")}</div>
          </details>
        </Fact>
      ) : null}
      <Owner listing={listing} />
      <Fact label="Added">
        <DateText at={created_at} />
      </Fact>
      <Fact label="Last changed">
        <DateText at={modified_at} />
      </Fact>
    </dl>
  );
}
