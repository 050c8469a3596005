import { Badge } from "~/components/ui/badge";
import { Card, CardHead } from "~/components/ui/card";
import { DateText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { DraftSummary } from "./drafts.server";

/** A draft's name, or what it is called without one. */
export function getDraftName({ name }: Pick<DraftSummary, "name">): string {
  return name.trim() || "A listing without a name yet";
}

/** A new listing that was not submitted yet. */
export function DraftCard({ draft }: { draft: DraftSummary }) {
  const { id, updatedAt } = draft;
  const headingId = `draft-${id}`;
  const name = getDraftName(draft);
  return (
    <Card as="li" labelledBy={headingId} className="card-draft">
      <CardHead
        title={name}
        id={headingId}
        subtitle={
          <>
            Last saved on <DateText at={updatedAt} />. Only you can see it.
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
