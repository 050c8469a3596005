import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { PageHeader } from "~/components/ui/page-header";

import { ChangeRequestFields } from "./change-request-fields";
import { ChoiceRows } from "./choice-rows";
import { countOfListings, DECISION_WORDS, type Decision } from "./decision-rules";
import type { Choice } from "./decisions.server";

interface ChoicePreviewProps {
  choice: Choice;
  action: Decision;
  form: FormState<"reason" | "reason_text">;
  /** The table that it was chosen in. */
  back: string;
}

/** What a decision would do to each listing of a choice, and the button that does it. */
export function ChoicePreview({ choice, action, form, back }: ChoicePreviewProps) {
  const { done } = choice.counts;
  const { label } = DECISION_WORDS[action];
  const asked =
    action === "request-changes"
      ? `Request changes of ${countOfListings(choice.chosen)}?`
      : `${label} ${countOfListings(choice.chosen)}?`;
  return (
    <>
      <PageHeader
        title={asked}
        subtitle={`Nothing has been done yet. Of ${countOfListings(choice.chosen)}, it will be done to ${done.toLocaleString("en")}.`}
      />
      <ChoiceSummary choice={choice} />
      <PostForm intent="decide" form={form}>
        <input type="hidden" name="action" value={action} />
        {action === "request-changes" && done > 0 ? <ChangeRequestFields form={form} /> : null}
        <div className="buttons">
          {done > 0 ? (
            <SubmitButton busyText="Working">
              {action === "request-changes"
                ? `Request changes of ${done.toLocaleString("en")}`
                : `${label} ${countOfListings(done)}`}
            </SubmitButton>
          ) : null}
          <ButtonLink variant="quiet" to={back}>
            Back without doing anything
          </ButtonLink>
        </div>
      </PostForm>
      <ChoiceRows caption="What will happen" action={action} rows={choice.rows} />
    </>
  );
}

/** Why some of a choice stay as they are, what to know of the others, and what was not taken into it. */
export function ChoiceSummary({ choice }: { choice: Choice }) {
  const { reasons, warnings, left_out, more, chosen } = choice;
  const number = (count: number) => count.toLocaleString("en");
  return (
    <>
      {more || left_out > 0 ? (
        <Callout tone="info" title={`One choice holds ${number(chosen)} listings`}>
          {more
            ? "The filter finds more than these. When they are decided on, choose the rest in the same way."
            : `${countOfListings(left_out)} more were sent, and left out.`}
        </Callout>
      ) : null}
      {reasons.length > 0 ? (
        <Callout tone="problem" title="Why some stay as they are">
          <ul>
            {reasons.map(({ outcome, reason, count }) => (
              <li key={`${outcome} ${reason}`}>
                {number(count)} × {reason}
              </li>
            ))}
          </ul>
        </Callout>
      ) : null}
      {warnings.length > 0 ? (
        <Callout tone="waiting" title="What to know of the others">
          <ul>
            {warnings.map(({ warning, count }) => (
              <li key={warning}>
                {number(count)} × {warning}
              </li>
            ))}
          </ul>
        </Callout>
      ) : null}
    </>
  );
}
