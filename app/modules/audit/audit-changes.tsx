import type { AuditChange } from "./changes";

interface AuditChangesProps {
  /** The entry that they belong to, unique on the page. */
  about: string;
  changes: readonly AuditChange[];
}

/**
 * What an entry changed, collapsed: each field before and after. The two differ by more than color.
 */
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
              {before === null ? null : <del dir="auto">{before}</del>}{" "}
              {before === null || after === null ? null : <b aria-hidden="true">→ </b>}
              {after === null ? null : <ins dir="auto">{after}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
