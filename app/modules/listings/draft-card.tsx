import { Badge } from "~/components/ui/badge";
import { Card, CardHead } from "~/components/ui/card";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { DraftSummary } from "./drafts.server";

const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });

/** What a draft is called while it has no name. */
export function draftName({ name }: Pick<DraftSummary, "name">): string {
  return name.trim() || "A listing without a name yet";
}

/** A new listing that its owner has begun and not finished. */
export function DraftCard({ draft }: { draft: DraftSummary }) {
  const { id, updatedAt } = draft;
  const headingId = `draft-${id}`;
  const name = draftName(draft);
  return (
    <Card as="li" labelledBy={headingId} className="card-draft">
      <CardHead
        title={name}
        id={headingId}
        subtitle={
          <>
            Last saved on <time dateTime={updatedAt}>{day.format(new Date(updatedAt))}</time>. Only
            you can see it.
          </>
        }
        badges={<Badge>Not finished</Badge>}
      />
      <div className="links">
        <TextLink to={paths.newListing(id)} about={name}>
          Finish listing
        </TextLink>
        <TextLink to={paths.discardDraft(id)} about={name}>
          Discard
        </TextLink>
      </div>
    </Card>
  );
}
