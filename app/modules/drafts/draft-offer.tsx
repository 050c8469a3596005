import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { TimestampText } from "~/components/ui/date-text";
import { formatShortDate, DAY_MS } from "~/text/dates";

import { CONTINUE, DISCARD_DRAFT } from "./draft-links";

interface DraftOfferProps {
  /** The id of the form that made the draft. */
  id: string;
  savedAt: string;
  /** The path of the form's page. */
  page: string;
}

/** Offers what was typed into a form and not submitted: to continue with it, or to discard it. */
export default function DraftOffer({ id, savedAt, page }: DraftOfferProps) {
  const until = new Date(new Date(savedAt).getTime() + 7 * DAY_MS);
  return (
    <Callout tone="waiting" title="You have changes that weren’t submitted">
      <p>
        They’re from <TimestampText at={savedAt} />. Only you can see them, and we’ll keep them
        until {formatShortDate(until)}. Until you choose, no new draft is saved.
      </p>
      <PostForm intent={DISCARD_DRAFT} className="buttons mt-4">
        <input type="hidden" name="submission_id" value={id} />
        {/* A document, so that every control begins with the draft. */}
        <ButtonLink variant="quiet" href={`${page}?${CONTINUE}`}>
          Continue with them
        </ButtonLink>
        <SubmitButton variant="quiet">Discard them</SubmitButton>
      </PostForm>
    </Callout>
  );
}
