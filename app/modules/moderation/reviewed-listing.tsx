import type { ReactNode } from "react";

import { TimestampText } from "~/components/ui/date-text";
import { Callout } from "~/components/ui/callout";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { ReviewedListing } from "./reviewed-listing.server";

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="whitespace-pre-wrap">{children}</dd>
    </div>
  );
}

/** What an admin should know before deciding, the most pressing first. */
export function ReviewWarnings({ listing }: { listing: ReviewedListing }) {
  const { id, blockers, archive_requested, status, open_reports, changes_requested } = listing;
  return (
    <>
      {blockers.length > 0 ? (
        <Callout tone="problem" title="It can’t be approved as it is">
          <p>
            {blockers.join(" ")} <TextLink to={paths.listing(id)}>Mend it</TextLink>
          </p>
        </Callout>
      ) : null}
      {archive_requested && status !== "archived" ? (
        <Callout tone="waiting">Its owner asked for it to be archived.</Callout>
      ) : null}
      {open_reports > 0 ? (
        <Callout tone="waiting">
          <p>
            {open_reports === 1
              ? "1 report about it is open."
              : `${open_reports} reports about it are open.`}{" "}
            <TextLink to={paths.adminReports()}>User Reports</TextLink>
          </p>
        </Callout>
      ) : null}
      {changes_requested === null ? null : (
        <Callout tone="waiting" title="Changes were requested">
          <p className="whitespace-pre-wrap">{changes_requested}</p>
        </Callout>
      )}
    </>
  );
}

function Owner({ listing: { owner, owner_email } }: { listing: ReviewedListing }) {
  const told = owner && [owner.email, owner.phone, owner.pronouns].filter(Boolean).join(" · ");
  return (
    <>
      <Fact label="Business Owner">
        {owner === null ? (
          "Nobody"
        ) : (
          <>
            {owner.full_name ?? "No name given"} ·{" "}
            <TextLink to={paths.adminUser(owner.id)} about={owner.full_name ?? "No name given"}>
              View profile
            </TextLink>
            {told ? <p className="hint">{told}</p> : null}
          </>
        )}
      </Fact>
      <Fact label="Owner e-mail">{owner_email ?? "Missing"}</Fact>
    </>
  );
}

const isLink = (words: string) => /^https?:\/\//i.test(words);

/** All that is known of a listing. */
export function ListingInFull({ listing }: { listing: ReviewedListing }) {
  const { facts, ticked, empty, created_at, modified_at } = listing;
  return (
    <dl className="details-list">
      {facts.map(({ label, words }) => (
        <Fact key={label} label={label}>
          {isLink(words) ? <TextLink href={words}>{words}</TextLink> : words}
        </Fact>
      ))}
      <Fact label="Ticked">{ticked.join("\n") || "Nothing"}</Fact>
      <Fact label="Empty or not ticked">{empty.join(", ")}</Fact>
      <Owner listing={listing} />
      <Fact label="Added">
        <TimestampText at={created_at} />
      </Fact>
      <Fact label="Last changed">
        <TimestampText at={modified_at} />
      </Fact>
    </dl>
  );
}
