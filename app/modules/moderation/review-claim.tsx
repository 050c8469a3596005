import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { TimestampText } from "~/components/ui/date-text";
import { Callout } from "~/components/ui/callout";

import type { Reviewer } from "./reviewed-listing.server";

/** Who reviews a listing now, and the buttons that say so to the other admins. A claim ends by itself, and binds nobody. */
export function ReviewClaim({ reviewer }: { reviewer: Reviewer | null }) {
  if (reviewer === null) {
    return (
      <PostForm intent="claim" className="buttons">
        <SubmitButton variant="quiet">Start reviewing</SubmitButton>
        <p className="hint">
          Nobody is reviewing this listing. The other admins see it when you start.
        </p>
      </PostForm>
    );
  }
  if (reviewer.mine) {
    return (
      <PostForm intent="release" className="buttons">
        <SubmitButton variant="quiet">Stop reviewing</SubmitButton>
        <p className="hint">
          You are reviewing this listing, and the other admins see that, until{" "}
          <TimestampText at={reviewer.until} />.
        </p>
      </PostForm>
    );
  }
  const name = reviewer.name ?? "Another admin";
  return (
    <Callout tone="waiting" title={`${name} is reviewing this listing`}>
      <p>
        Since <TimestampText at={reviewer.since} />; it lapses at{" "}
        <TimestampText at={reviewer.until} />.
      </p>
      <PostForm intent="takeOver" className="mt-2">
        <SubmitButton variant="quiet">Take over</SubmitButton>
      </PostForm>
    </Callout>
  );
}
