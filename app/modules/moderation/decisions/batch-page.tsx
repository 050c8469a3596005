import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";
import { Callout } from "~/components/ui/callout";
import { TimestampText } from "~/components/ui/date-text";
import { PageHeader } from "~/components/ui/page-header";
import { formatCount, formatNumber } from "~/text/counts";
import { isolate } from "~/text/isolate";

import { BatchRows, describeSkipped } from "./batch-rows";
import type { DecisionBatch } from "./batch.server";
import { ChangeRequestFields } from "./change-request";
import { DECISION_LABELS, formatDecision, formatDecisionCounts, type Decision } from "./rules";

/** A decision with the listings that it will change; with all that were selected, when it can change none. */
export const formatBatch = ({ counts, selected }: DecisionBatch, decision: Decision): string =>
  formatDecision(decision, counts.done || selected);

interface BatchProps {
  batch: DecisionBatch;
  decision: Decision;
  /** The URL of the queue in which the listings were selected, and that of this page. */
  back: string;
  here: string;
}

interface BatchPreviewProps extends BatchProps {
  form: FormState<"reason" | "reason_text">;
}

/** What a decision would do to each listing of a batch, and the button that makes the decision. */
export function BatchPreview({ batch, decision, form, back, here }: BatchPreviewProps) {
  const { done, refused } = batch.counts;
  const { future } = DECISION_LABELS[decision];
  const others = batch.selected - done - refused;
  return (
    <>
      <PageHeader
        title={`${formatBatch(batch, decision)}?`}
        subtitle={
          done === batch.selected
            ? "Nothing’s changed yet."
            : `Nothing’s changed yet. ${formatNumber(done)} of ${formatCount(batch.selected, "listing")} will ${future}.`
        }
      />
      <div className="batch">
        <div>
          <BatchSummary batch={batch} />
          <BatchRows batch={batch} decision={decision} here={here} />
        </div>
        <aside aria-label="Confirm">
          <Split done={done} refused={refused} of={batch.selected} />
          <ul>
            <li className="split-done">
              <b>{formatNumber(done)}</b> will {future}
            </li>
            {refused > 0 ? (
              <li className="split-refused">
                <b>{formatNumber(refused)}</b> can’t {future}
              </li>
            ) : null}
            {others > 0 ? (
              <li className="split-others">
                <b>{formatNumber(others)}</b> {describeSkipped(batch)}
              </li>
            ) : null}
          </ul>
          <PostForm intent="decide" form={form}>
            <input type="hidden" name="action" value={decision} />
            {decision === "request-changes" && done > 0 ? (
              <ChangeRequestFields form={form} />
            ) : null}
            <div className="buttons">
              {done > 0 ? (
                <SubmitButton busyText="Working">{formatDecision(decision, done)}</SubmitButton>
              ) : null}
              <ButtonLink variant="quiet" to={back}>
                Cancel
              </ButtonLink>
              {done > 0 ? <p className="hint">You can undo this for 10 minutes.</p> : null}
            </div>
          </PostForm>
        </aside>
      </div>
    </>
  );
}

/** A bar of what will happen to how many. It repeats the list below it. */
function Split({ done, refused, of }: { done: number; refused: number; of: number }) {
  const percent = (count: number) => `${(100 * count) / Math.max(of, 1)}%`;
  const middle = { x: percent(done), width: percent(refused), height: "10" };
  return (
    <svg className="split" aria-hidden="true">
      <pattern
        id="hatched"
        width="4"
        height="4"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <path d="M0 0v4" strokeWidth="3" />
      </pattern>
      <rect width="100%" height="10" className="split-others" />
      <rect width={percent(done)} height="10" className="split-done" />
      <rect {...middle} className="split-refused" />
      <rect {...middle} fill="url(#hatched)" />
    </svg>
  );
}

interface BatchResultProps extends BatchProps {
  /** How much of the time to undo is left, from 0 to 1. */
  undoLeft: number;
}

const formatProgress = ({ selected, left }: DecisionBatch) =>
  `${formatNumber(selected - left)} of ${formatCount(selected, "listing")} decided`;

/** What became of the listings of a batch once it was decided, for the page’s heading and title. */
export function formatResult(batch: DecisionBatch, decision: Decision): string {
  const { done, undone, unchanged, refused, stale, missing } = batch.counts;
  if (batch.undone_at !== null)
    return `${formatCount(undone, DECISION_LABELS[decision].undoes)} undone${unchanged > 0 ? `, ${formatNumber(unchanged)} left unchanged` : ""}`;
  return batch.left > 0
    ? formatProgress(batch)
    : formatDecisionCounts(decision, done, refused + stale + missing);
}

/** What a decision did so far, listing by listing, with the buttons that continue or undo it. */
export function BatchResult({ batch, decision, back, here, undoLeft }: BatchResultProps) {
  const { counts, selected, left, left_to_undo, reason, undone_at, undo_until } = batch;
  const isUndone = undone_at !== null;
  const undoing = counts.undone + counts.unchanged;
  const progress = formatProgress(batch);
  return (
    <>
      <PageHeader
        title={formatResult(batch, decision)}
        subtitle={reason === null ? undefined : `Note to each owner: ${isolate(reason)}`}
        action={
          // No button is more than "Undo" while that is possible.
          <ButtonLink
            variant={left + left_to_undo > 0 || undo_until !== null ? "quiet" : "primary"}
            to={back}
          >
            Back to the queue
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
      <div>
        {undo_until === null ? null : (
          <PostForm intent="undo" className="undo">
            <SubmitButton variant="quiet" busyText="Undoing">
              Undo
            </SubmitButton>
            <div>
              <p>
                You can undo until <TimestampText at={undo_until} without="day" />, except for
                listings changed since.
              </p>
              <progress value={undoLeft} aria-label="Time left to undo" />
            </div>
          </PostForm>
        )}
        <BatchSummary batch={batch} />
        <BatchRows batch={batch} decision={decision} here={here} />
      </div>
    </>
  );
}

interface BatchProgressProps {
  intent: "decide" | "undo";
  /** "1,000 of 4,200 listings decided" */
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
        <SubmitButton busyText="Continuing">Continue</SubmitButton>
      </div>
    </PostForm>
  );
}

/** Notes about the listings of a batch, and about those that it left out. */
function BatchSummary({ batch }: { batch: DecisionBatch }) {
  const { warnings, left_out, more, selected } = batch;
  return (
    <>
      {more || left_out > 0 ? (
        <Callout
          tone="info"
          title={`You can select up to ${formatNumber(selected)} listings at once`}
        >
          {more
            ? "More listings match. Once these are decided, select the rest the same way."
            : `${formatCount(left_out, "listing")} beyond that ${left_out === 1 ? "was" : "were"} left out.`}
        </Callout>
      ) : null}
      {warnings.length > 0 && batch.undone_at === null ? (
        <Callout
          tone="waiting"
          title={batch.action === null ? "Before you decide" : "Good to know"}
        >
          <ul>
            {warnings.map(({ warning, count }) => (
              <li key={warning} className="mt-2">
                <b>{`${formatCount(count, "listing")}${count === 1 ? "." : ", each:"}`}</b>{" "}
                {warning}
              </li>
            ))}
          </ul>
        </Callout>
      ) : null}
    </>
  );
}
