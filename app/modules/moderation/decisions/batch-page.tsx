import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { TimestampText } from "~/components/ui/date-text";
import { PageHeader } from "~/components/ui/page-header";
import { formatCount, formatNumber } from "~/text/counts";

import { BatchRows } from "./batch-rows";
import type { DecisionBatch } from "./batch.server";
import { ChangeRequestFields } from "./change-request";
import { DECISION_LABELS, formatDecisionCounts, type Decision } from "./rules";

interface BatchProps {
  batch: DecisionBatch;
  decision: Decision;
  /** The URL of the queue in which the listings were selected. */
  back: string;
}

interface BatchPreviewProps extends BatchProps {
  form: FormState<"reason" | "reason_text">;
}

/** What a decision would do to each listing of a batch, and the button that makes the decision. */
export function BatchPreview({ batch, decision, form, back }: BatchPreviewProps) {
  const { done } = batch.counts;
  const { label } = DECISION_LABELS[decision];
  const count = formatCount(batch.selected, "listing");
  const isRequest = decision === "request-changes";
  return (
    <>
      <PageHeader
        title={isRequest ? `Request changes of ${count}?` : `${label} ${count}?`}
        subtitle={`Nothing has been done yet. Of ${count}, it will be done to ${formatNumber(done)}.`}
      />
      <BatchSummary batch={batch} />
      <PostForm intent="decide" form={form}>
        <input type="hidden" name="action" value={decision} />
        {isRequest && done > 0 ? <ChangeRequestFields form={form} /> : null}
        <div className="buttons">
          {done > 0 ? (
            <SubmitButton busyText="Working">
              {isRequest
                ? `Request changes of ${formatNumber(done)}`
                : `${label} ${formatCount(done, "listing")}`}
            </SubmitButton>
          ) : null}
          <ButtonLink variant="quiet" to={back}>
            Back without doing anything
          </ButtonLink>
        </div>
      </PostForm>
      <BatchRows caption="What will happen" decision={decision} rows={batch.rows} />
    </>
  );
}

/** What a decision did so far, listing by listing, with the buttons that continue or undo it. */
export function BatchResult({ batch, decision, back }: BatchProps) {
  const { counts, selected, left, left_to_undo, reason, undone_at, undo_until } = batch;
  const notDone = counts.refused + counts.stale + counts.missing;
  const isUndone = undone_at !== null;
  const undoing = counts.undone + counts.unchanged;
  const progress = `${formatNumber(selected - left)} of ${formatCount(selected, "listing")} decided on`;
  return (
    <>
      <PageHeader
        title={
          isUndone
            ? `Undone ${formatNumber(counts.undone)}${counts.unchanged > 0 ? `, left as they are ${formatNumber(counts.unchanged)}` : ""}`
            : left > 0
              ? progress
              : formatDecisionCounts(decision, counts.done, notDone)
        }
        subtitle={reason === null ? undefined : `Asked of each owner: ${reason}`}
        action={
          <ButtonLink variant={left + left_to_undo > 0 ? "quiet" : "primary"} to={back}>
            Back to the listings
          </ButtonLink>
        }
      />
      {!isUndone && left > 0 ? (
        <BatchProgress intent="decide" label={progress} done={selected - left} of={selected}>
          <input type="hidden" name="action" value={decision} />
          {reason === null ? null : <input type="hidden" name="decided_reason" value={reason} />}
        </BatchProgress>
      ) : null}
      {left_to_undo > 0 ? (
        <BatchProgress
          intent="undo"
          label={`${formatNumber(undoing)} of ${formatCount(undoing + left_to_undo, "listing")} undone`}
          done={undoing}
          of={undoing + left_to_undo}
        />
      ) : null}
      <BatchSummary batch={batch} />
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
      <BatchRows
        caption={
          isUndone
            ? "What was undone"
            : left > 0
              ? "What was done, and what will be"
              : "What was done"
        }
        decision={decision}
        rows={batch.rows}
      />
    </>
  );
}

interface BatchProgressProps {
  intent: "decide" | "undo";
  /** "1,000 of 4,200 listings decided on" */
  label: string;
  done: number;
  of: number;
  /** The fields that the next step needs. */
  children?: ReactNode;
}

/** How much of a large batch is done, and the button that continues with it. */
function BatchProgress({ intent, label, done, of, children }: BatchProgressProps) {
  return (
    <PostForm intent={intent} className="fields">
      <p>
        <progress value={done} max={of} aria-label={label} /> {label}
      </p>
      {children}
      <div className="buttons">
        <SubmitButton busyText="Going on">Go on</SubmitButton>
      </div>
    </PostForm>
  );
}

/** Why some listings do not change, what to know about the others, and what the batch left out. */
function BatchSummary({ batch }: { batch: DecisionBatch }) {
  const { reasons, warnings, left_out, more, selected } = batch;
  return (
    <>
      {more || left_out > 0 ? (
        <Callout tone="info" title={`One choice holds ${formatNumber(selected)} listings`}>
          {more
            ? "The filter finds more than these. When they are decided on, choose the rest in the same way."
            : `${formatCount(left_out, "listing")} more were sent, and left out.`}
        </Callout>
      ) : null}
      {reasons.length > 0 ? (
        <Callout tone="problem" title="Why some stay as they are">
          <ul>
            {reasons.map(({ outcome, reason, count }) => (
              <li key={`${outcome} ${reason}`}>
                {formatNumber(count)} × {reason}
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
                {formatNumber(count)} × {warning}
              </li>
            ))}
          </ul>
        </Callout>
      ) : null}
    </>
  );
}
