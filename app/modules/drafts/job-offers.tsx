import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { TimestampText } from "~/components/ui/date-text";
import { paths } from "~/http/paths";
import { DAY_MS, formatShortDate } from "~/text/dates";

import { DISCARD_DRAFT } from "./draft-links";

interface JobOffersProps {
  /** The drafts of new jobs, by the ids of their forms. */
  jobs: readonly { id: string; title: string; savedAt: string }[];
}

/** Offers each new job that was typed and not submitted to someone who is about to begin another one. */
export default function JobOffers({ jobs }: JobOffersProps) {
  return jobs.map(({ id, title, savedAt }) => (
    <Callout key={id} tone="waiting" title="You have a job that wasn’t submitted">
      <p>
        “<bdi>{title || "Untitled job"}</bdi>” is from <TimestampText at={savedAt} />. Only you can
        see it, and we’ll keep it until{" "}
        {formatShortDate(new Date(new Date(savedAt).getTime() + 7 * DAY_MS))}. To start another job,
        use the form below.
      </p>
      <PostForm intent={DISCARD_DRAFT} className="buttons mt-4">
        <input type="hidden" name="submission_id" value={id} />
        {/* A document, so that every control begins with the draft. */}
        <ButtonLink
          variant="quiet"
          href={paths.newJobDraft(id)}
          aria-label={title ? `Continue with it: ${title}` : undefined}
        >
          Continue with it
        </ButtonLink>
        <SubmitButton variant="quiet" about={title || undefined}>
          Discard it
        </SubmitButton>
      </PostForm>
    </Callout>
  ));
}
