import { Callout } from "~/components/ui/callout";
import { DataTable } from "~/components/ui/data-table";

import type { ChangedColumn } from "./edit-status.server";

/** An edit that waits for review, next to what the public sees now. */
export function PendingEdit({ changes }: { changes: (ChangedColumn & { waiting: string })[] }) {
  if (changes.length === 0) return null;
  return (
    <DataTable
      caption="Your changes are waiting for review. Until they’re approved, people see the last approved version."
      rows={changes}
      rowKey={({ column }) => column}
      columns={[
        { key: "field", header: "Field", rowHeader: true, cell: ({ label }) => label },
        { key: "live", header: "Live", cell: ({ value }) => value },
        { key: "waiting", header: "Waiting for review", cell: ({ waiting }) => waiting },
      ]}
    />
  );
}

interface RejectedEditProps {
  /** The team's reason; null if it gave none. */
  reason: string | null;
  changes: ChangedColumn[];
}

/** An edit that was rejected, with its values, so that its author can use them again. */
export function RejectedEdit({ reason, changes }: RejectedEditProps) {
  return (
    <Callout tone="waiting" title="Your changes weren’t approved">
      <p className="whitespace-pre-wrap">{reason ?? "The last approved version is still live."}</p>
      <details className="mt-2">
        <summary>Your changes</summary>
        <dl className="details-list">
          {changes.map(({ column, label, value }) => (
            <div key={column}>
              <dt>{label}</dt>
              <dd className="whitespace-pre-wrap">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </Callout>
  );
}
