import { Callout } from "~/components/ui/callout";

import { labelOfColumn } from "./fields";

interface RejectedEditProps {
  /** Why, in the team's words; null when nothing was said. */
  reason: string | null;
  /** What was written, by column. */
  edit: Readonly<Record<string, unknown>>;
  /** A column's value for reading. */
  words: (column: string, value: unknown) => string;
}

/** Tells that an edit was not taken over, and keeps what was written in it at hand. */
export function RejectedEdit({ reason, edit, words }: RejectedEditProps) {
  const written = Object.entries(edit).filter(
    ([column]) => !["lat", "long", "address_approximate"].includes(column),
  );
  return (
    <Callout tone="waiting" title="Your changes were not taken over">
      <p className="whitespace-pre-wrap">
        {reason ?? "Everybody sees the listing as it was approved before."}
      </p>
      <details className="mt-2">
        <summary>What you had written</summary>
        <dl className="details-list">
          {written.map(([column, value]) => (
            <div key={column}>
              <dt>{labelOfColumn(column)}</dt>
              <dd className="whitespace-pre-wrap">{words(column, value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </Callout>
  );
}
