import type { AuditChange } from "./audit-words";

interface AuditChangesProps {
  /** What they are the changes of, unique on the page. */
  about: string;
  changes: readonly AuditChange[];
}

/** What an entry changed, folded away: each field before and after, told apart by more than colour. */
export function AuditChanges({ about, changes }: AuditChangesProps) {
  if (changes.length === 0) return null;
  return (
    <details className="changes">
      <summary className="nowrap" aria-label={`Details: ${about}`}>
        Details
      </summary>
      <dl className="details-list">
        {changes.map(({ label, before, after }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {before === null ? null : <del>{before}</del>}{" "}
              {after === null ? null : <ins>{after}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
