import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";

import { CHANGE_REQUEST_LIMIT } from "./change-reasons";
import { ChangeRequestFields } from "./change-request-fields";
import { DECISION_WORDS, type Decision } from "./decision-rules";
import type { ReviewAnswer } from "./review-form.server";
import { decisionsOn } from "./review-rules";
import type { ReviewedListing } from "./reviewed-listing.server";

interface ReviewDecisionsProps {
  listing: ReviewedListing;
  /** Names the decision, so that a form sent twice decides once. */
  batch: string;
  answer: ReviewAnswer | undefined;
}

/** Decisions that need no words; the others have a form of their own. */
const AT_ONCE = ["flag", "archive", "reopen"] as const;

/** What can be decided on a listing. Each decision goes on to the next listing of the table. */
export function ReviewDecisions({ listing, batch, answer }: ReviewDecisionsProps) {
  const offered = decisionsOn({ status: listing.status, edited: listing.edit.length > 0 });
  const offers = (decision: Decision) => offered.includes(decision);
  const seen = Object.entries({ version: listing.version, at: listing.cursor, batch }).map(
    ([name, value]) => <input key={name} type="hidden" name={name} value={value} />,
  );
  const form = createFormState<"reason" | "reason_text" | "reject_reason">({
    id: "review",
    lastResult: answer?.lastResult,
  });

  const withWords = (decision: Decision, fields: ReactNode, label: string) =>
    offers(decision) ? (
      <details open={answer?.intent === decision} className="mt-4">
        <summary>{DECISION_WORDS[decision].label}</summary>
        <PostForm intent={decision} className="fields mt-4">
          {seen}
          {fields}
          <SubmitButton variant="quiet">{label}</SubmitButton>
        </PostForm>
      </details>
    ) : null;

  return (
    <section aria-label="Decide">
      <PostForm id="decide" className="buttons">
        {seen}
        {offers("approve") ? (
          <SubmitButton name="intent" value="approve" busyText="Approving">
            Approve and next
          </SubmitButton>
        ) : null}
        <SubmitButton variant="quiet" name="intent" value="skip">
          Skip
        </SubmitButton>
        {AT_ONCE.filter(offers).map((decision) => (
          <SubmitButton key={decision} variant="quiet" name="intent" value={decision}>
            {DECISION_WORDS[decision].label}
          </SubmitButton>
        ))}
      </PostForm>
      {withWords("request-changes", <ChangeRequestFields form={form} />, "Request these changes")}
      {withWords(
        "reject",
        <TextArea
          field={form.field("reject_reason")}
          label="Why"
          hint="The approved values return. Its owner is told, reads this, and keeps what they wrote."
          optional
          rows={3}
          limit={CHANGE_REQUEST_LIMIT}
        />,
        "Reject the edit and bring the approved values back",
      )}
    </section>
  );
}
