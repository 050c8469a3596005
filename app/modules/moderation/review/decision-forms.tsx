import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import { createFormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { TextArea } from "~/components/forms/text-area";
import { getButtonClass } from "~/components/ui/button";
import { Icon } from "~/components/ui/icon";

import { ChangeRequestFields, MAX_REASON_LENGTH } from "../decisions/change-request";
import { DECISION_LABELS, type Decision } from "../decisions/rules";
import type { ListingForReview } from "./listing.server";
import type { ReviewFormError } from "./review-actions.server";

interface DecisionFormsProps {
  listing: ListingForReview;
  /** The id of the decision's batch, so that a form that is sent twice decides once. */
  batch: string;
  answer: ReviewFormError | undefined;
}

/** Decisions without a reason. The others have a form each. */
const WITHOUT_REASON = ["flag", "archive", "reopen"] as const;

/** The decisions on a listing. Each of them opens the next listing of the queue. */
export function DecisionForms({ listing, batch, answer }: DecisionFormsProps) {
  const isOffered = (decision: Decision) => listing.decisions.includes(decision);
  const hiddenFields = Object.entries({ version: listing.version, at: listing.cursor, batch }).map(
    ([name, value]) => <input key={name} type="hidden" name={name} value={value} />,
  );
  const form = createFormState<"reason" | "reason_text" | "reject_reason">({
    id: "review",
    lastResult: answer?.lastResult,
  });

  const formWithReason = (decision: Decision, fields: ReactNode, label: string) =>
    isOffered(decision) ? (
      <details id={decision} open={answer?.intent === decision}>
        <summary className={getButtonClass("quiet")}>
          {DECISION_LABELS[decision].label} <Icon name="chevron-down" />
        </summary>
        <PostForm
          intent={decision}
          className="fields mt-4"
          unsaved="warn"
          version={[listing.version]}
        >
          {hiddenFields}
          {fields}
          <SubmitButton variant="quiet">{label}</SubmitButton>
        </PostForm>
      </details>
    ) : null;

  return (
    <section aria-label="Decide" className="decisions">
      {/* On small screens it stays in view below the evidence. */}
      <PostForm id="decide" className="decide-bar">
        {hiddenFields}
        {isOffered("approve") ? (
          <SubmitButton name="intent" value="approve" busyText="Approving">
            Approve and next
          </SubmitButton>
        ) : null}{" "}
        <SubmitButton variant="quiet" name="intent" value="skip">
          Skip
        </SubmitButton>{" "}
        <a href="#other-decisions" aria-label="More decisions" className={getButtonClass("quiet")}>
          More
        </a>
      </PostForm>
      <div id="other-decisions" tabIndex={-1} />
      {formWithReason("request-changes", <ChangeRequestFields form={form} />, "Send request")}
      {formWithReason(
        "reject",
        <TextArea
          field={form.field("reject_reason")}
          label="Note to the owner"
          hint="The approved version stays. The owner gets this note and keeps a copy of their changes."
          optional
          rows={3}
          limit={MAX_REASON_LENGTH}
        />,
        "Reject the edit",
      )}
      <PostForm className="buttons">
        {hiddenFields}
        {WITHOUT_REASON.filter(isOffered).map((decision) => (
          <SubmitButton key={decision} variant="quiet" name="intent" value={decision}>
            {DECISION_LABELS[decision].label}
          </SubmitButton>
        ))}
      </PostForm>
    </section>
  );
}
