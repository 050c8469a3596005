import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { TimestampText } from "~/components/ui/date-text";
import { PageHeader } from "~/components/ui/page-header";

import { ChoiceSummary } from "./choice-preview";
import { ChoiceProgress } from "./choice-progress";
import { ChoiceRows } from "./choice-rows";
import { countOfListings, decidedInWords, type Decision } from "./decision-rules";
import type { Choice } from "./decisions.server";

interface ChoiceResultProps {
  choice: Choice;
  action: Decision;
  /** The table that it was chosen in. */
  back: string;
}

/** What a decision came to so far, listing by listing; how to go on with it, and how to take it back. */
export function ChoiceResult({ choice, action, back }: ChoiceResultProps) {
  const { counts, chosen, left, left_to_undo, reason, undone_at, undo_until } = choice;
  const number = (count: number) => count.toLocaleString("en");
  const notDone = counts.refused + counts.stale + counts.missing;
  const isUndone = undone_at !== null;
  const undoing = counts.undone + counts.kept;
  const decided = `${number(chosen - left)} of ${countOfListings(chosen)} decided on`;
  return (
    <>
      <PageHeader
        title={
          isUndone
            ? `Undone ${number(counts.undone)}${counts.kept > 0 ? `, left as they are ${number(counts.kept)}` : ""}`
            : left > 0
              ? decided
              : decidedInWords(action, counts.done, notDone)
        }
        subtitle={reason === null ? undefined : `Asked of each owner: ${reason}`}
        action={
          <ButtonLink variant={left + left_to_undo > 0 ? "quiet" : "primary"} to={back}>
            Back to the listings
          </ButtonLink>
        }
      />
      {!isUndone && left > 0 ? (
        <ChoiceProgress
          intent="decide"
          words={decided}
          done={chosen - left}
          of={chosen}
          hidden={{ action, ...(reason === null ? {} : { decided_reason: reason }) }}
        />
      ) : null}
      {left_to_undo > 0 ? (
        <ChoiceProgress
          intent="undo"
          words={`${number(undoing)} of ${countOfListings(undoing + left_to_undo)} undone`}
          done={undoing}
          of={undoing + left_to_undo}
        />
      ) : null}
      <ChoiceSummary choice={choice} />
      {undo_until === null ? null : (
        <PostForm intent="undo">
          <div className="buttons">
            <SubmitButton variant="quiet" busyText="Undoing">
              Undo
            </SubmitButton>
            <p className="hint">
              Until <TimestampText at={undo_until} />. What has been changed since stays as it is.
            </p>
          </div>
        </PostForm>
      )}
      <ChoiceRows
        caption={
          isUndone
            ? "What was undone"
            : left > 0
              ? "What was done, and what will be"
              : "What was done"
        }
        action={action}
        rows={choice.rows}
      />
    </>
  );
}
