import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { TimestampText } from "~/components/ui/date-text";
import { paths } from "~/http/paths";
import { DAY_MS, formatShortDate } from "~/text/dates";
import { getLastDay } from "~/text/deadlines";

import { CONTINUE, DISCARD_DRAFT } from "./draft-links";

interface Draft {
  /** The id of the form that made it. */
  id: string;
  savedAt: string;
  /** What it is called, if it is for something new. */
  name?: string;
}

interface DraftOffersProps {
  /** What they are: something new, or changes to what the page is about. */
  of: "listing" | "job" | "changes";
  drafts: readonly Draft[];
  /** The path of the page, for changes. */
  page?: string;
}

/** Offers what was typed and not submitted: to continue with it, or to discard it. */
export default function DraftOffers({ of, drafts, page }: DraftOffersProps) {
  const isNew = of !== "changes";
  const isOne = drafts.length === 1;
  const them = isNew && isOne ? "it" : "them";
  const title = !isNew
    ? "changes that weren’t submitted"
    : isOne
      ? `a ${of} that wasn’t submitted`
      : `${drafts.length} ${of}s that weren’t submitted`;
  return (
    <Callout tone="waiting" title={`You have ${title}`}>
      <p>
        Only you can see {them}.{" "}
        {isNew
          ? `To add another ${of}, use the form below.`
          : "Until you choose, no new draft is saved."}
      </p>
      <ul>
        {drafts.map((draft) => (
          <li key={draft.id} className="mt-4">
            <p>
              {isNew ? (
                <>
                  “<bdi>{draft.name}</bdi>” was
                </>
              ) : (
                "They were"
              )}{" "}
              saved on <TimestampText at={draft.savedAt} />
              {of === "listing"
                ? ""
                : `, and we’ll keep ${isNew ? "it" : "them"} until ${formatDraftEnd(draft)}`}
              .
            </p>
            <DraftButtons of={of} draft={draft} page={page} />
          </li>
        ))}
      </ul>
    </Callout>
  );
}

/** The last day on which a draft that was saved while someone typed is there all day, in every time zone: "Jun 22". */
const formatDraftEnd = ({ savedAt }: Draft) =>
  formatShortDate(getLastDay(new Date(Date.parse(savedAt) + 7 * DAY_MS)));

interface DraftButtonsProps extends Pick<DraftOffersProps, "of" | "page"> {
  draft: Draft;
}

function DraftButtons({ of, draft: { id, name }, page }: DraftButtonsProps) {
  const pages = {
    listing: paths.newListing(id),
    job: paths.newJobDraft(id),
    changes: `${page}?${CONTINUE}`,
  };
  const label = (text: string) => (name === undefined ? undefined : `${text}: ${name}`);
  const continueLink = (
    // A document, so that every control begins with the draft.
    <ButtonLink variant="quiet" href={pages[of]} aria-label={label("Continue")}>
      Continue
    </ButtonLink>
  );
  return of === "listing" ? (
    <div className="buttons mt-2">
      {continueLink}
      <ButtonLink variant="quiet" href={paths.discardDraft(id)} aria-label={label("Discard")}>
        Discard
      </ButtonLink>
    </div>
  ) : (
    <PostForm intent={DISCARD_DRAFT} className="buttons">
      <input type="hidden" name="submission_id" value={id} />
      {continueLink}
      <SubmitButton variant="quiet" about={name}>
        Discard
      </SubmitButton>
    </PostForm>
  );
}
