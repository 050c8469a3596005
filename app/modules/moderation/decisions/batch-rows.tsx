import { Link } from "react-router-dom";

import { paths } from "~/http/paths";
import { formatNumber } from "~/text/counts";

import { RowChanges } from "../queue/row-changes";
import type { BatchRow, DecisionBatch } from "./batch.server";
import { FixLink } from "./fix-link";
import { DECISION_LABELS, type Decision } from "./rules";

interface BatchRowsProps {
  batch: DecisionBatch;
  decision: Decision;
  /** The URL of this page, to return to after fixing a listing. */
  here: string;
}

type Outcome = NonNullable<BatchRow["outcome"]>;

/** What happened, or will happen, to the listings that the decision leaves out. */
export function describeSkipped({ counts }: Pick<DecisionBatch, "counts">): string {
  return counts.missing > 0 ? "skipped" : "already decided or changed";
}

/**
 * The listings of a batch in groups, with each reason once. Those that need attention come first.
 */
export function BatchRows({ batch, decision, here }: BatchRowsProps) {
  const { verb, future } = DECISION_LABELS[decision];
  const unchanged = { one: "This one won’t change.", many: "These won’t change." };
  const groups: { outcomes: Outcome[]; title: string; note?: { one: string; many: string } }[] = [
    {
      outcomes: ["refused"],
      title: batch.action === null ? `can’t ${future}` : `not ${verb}`,
      note:
        decision === "approve"
          ? {
              one: "This one stays in the queue until someone fixes it.",
              many: "These stay in the queue until someone fixes them.",
            }
          : unchanged,
    },
    {
      outcomes: ["stale", "missing"],
      title: describeSkipped(batch),
      note: unchanged,
    },
    {
      outcomes: ["unchanged"],
      title: "left unchanged",
      note: {
        one: "Someone has changed this one since.",
        many: "Someone has changed these since.",
      },
    },
    {
      outcomes: ["undone"],
      title: "undone",
      note: { one: "This one is as it was before.", many: "These are as they were before." },
    },
    {
      outcomes: ["done"],
      title: batch.action === null ? `will ${future}` : batch.left > 0 ? `${verb} or next` : verb,
    },
  ];
  return (
    <>
      {groups.map(({ outcomes, title, note }) => {
        const count = outcomes.reduce((sum, outcome) => sum + (batch.counts[outcome] ?? 0), 0);
        const rows = batch.rows.filter(({ outcome }) => outcome && outcomes.includes(outcome));
        const onPage =
          outcomes[0] === "done" && rows.length < count
            ? `${formatNumber(rows.length)} of them on this page`
            : "";
        return rows.length === 0 ? null : (
          <section key={title} className="batch-group" aria-labelledby={`group-${outcomes[0]}`}>
            <h2 id={`group-${outcomes[0]}`}>
              {formatNumber(count)} {title}
            </h2>
            {!note && onPage === "" ? null : (
              <p className="hint">
                {[note?.[count === 1 ? "one" : "many"], onPage].filter(Boolean).join(" ")}
              </p>
            )}
            <RowsByReason rows={rows} here={here} />
          </section>
        );
      })}
    </>
  );
}

/** Rows with the same reason are below it. */
function RowsByReason({ rows, here }: { rows: readonly BatchRow[]; here: string }) {
  const reasons = [...new Set(rows.map(({ reason }) => reason))];
  return reasons.map((reason) => (
    <div key={reason}>
      {reason === undefined ? null : <h3>{reason}</h3>}
      <ul>
        {rows
          .filter((row) => row.reason === reason)
          .map((row) => (
            <Row key={row.id ?? row.label} row={row} here={here} />
          ))}
      </ul>
    </div>
  ));
}

function Row({ row, here }: { row: BatchRow; here: string }) {
  const { id, label, place, outcome, missing, changes, more } = row;
  // A decision that was undone has no effects worth showing.
  const warning = outcome === "undone" ? undefined : row.warning;
  const name = <bdi>{label}</bdi>;
  const details = id === undefined ? "" : paths.adminListingDetails(id);
  return (
    <li>
      <p>
        {id === undefined ? <b>{name}</b> : <Link to={details}>{name}</Link>} <bdi>{place}</bdi>
      </p>{" "}
      {changes === undefined && warning === undefined ? null : (
        <div>
          {warning === undefined ? null : <p>{warning}</p>}
          {changes === undefined ? null : (
            <RowChanges changes={changes} more={more} label={label} details={details} />
          )}
        </div>
      )}
      {id !== undefined && outcome === "refused" && missing !== undefined ? (
        <FixLink listing={id} label={`${label} (${id})`} missing={missing} back={here} />
      ) : null}
    </li>
  );
}
