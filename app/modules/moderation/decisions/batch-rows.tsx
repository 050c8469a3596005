import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatNumber } from "~/text/counts";

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

/** The listings of a batch in groups, those that need someone first, with each reason once. */
export function BatchRows({ batch, decision, here }: BatchRowsProps) {
  const { verb, future } = DECISION_LABELS[decision];
  const groups: { outcomes: Outcome[]; title: string; note: string }[] = [
    {
      outcomes: ["refused"],
      title: batch.action === null ? `can’t ${future}` : `not ${verb}`,
      note: "These stay in the queue until someone fixes them.",
    },
    { outcomes: ["stale", "missing"], title: "skipped", note: "Nothing happens to these." },
    { outcomes: ["unchanged"], title: "left unchanged", note: "Someone has changed these since." },
    { outcomes: ["undone"], title: "undone", note: "These are as they were before." },
    {
      outcomes: ["done"],
      title: batch.action === null ? `will ${future}` : batch.left > 0 ? `${verb} or next` : verb,
      note: "",
    },
  ];
  return (
    <>
      {groups.map(({ outcomes, title, note }) => {
        const count = outcomes.reduce((sum, outcome) => sum + (batch.counts[outcome] ?? 0), 0);
        const rows = batch.rows.filter(
          ({ outcome }) => outcome !== null && outcomes.includes(outcome),
        );
        return rows.length === 0 ? null : (
          <section key={title} className="batch-group" aria-labelledby={`group-${outcomes[0]}`}>
            <h2 id={`group-${outcomes[0]}`}>
              {formatNumber(count)} {title}
            </h2>
            {note === "" ? null : <p className="hint">{note}</p>}
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
      {reason === null ? null : <h3>{reason}</h3>}
      <ul>
        {rows
          .filter((row) => row.reason === reason)
          .map((row) => (
            <Row key={row.id ?? `sent ${row.sent}`} row={row} here={here} />
          ))}
      </ul>
    </div>
  ));
}

function Row({ row, here }: { row: BatchRow; here: string }) {
  const { id, name, sent, city, state, outcome, missing, warning } = row;
  const place = [city, state].filter(Boolean).join(", ");
  return (
    <li>
      <span>
        <b>
          <bdi>{name ?? (id === null ? `“${sent ?? ""}”` : `Listing ${id}`)}</bdi>
        </b>{" "}
        <bdi className="place">{place}</bdi>
      </span>{" "}
      {warning === null ? null : <span className="warning">{warning}</span>}{" "}
      {id === null || name === null ? null : outcome === "refused" ? (
        <FixLink listing={id} label={`${name} (${id})`} missing={missing} back={here} />
      ) : (
        <TextLink to={paths.adminListingDetails(id)} about={`${name} (${id})`}>
          View
        </TextLink>
      )}
    </li>
  );
}
