import { actionInWords, changesInWords, subjectInWords, type AuditEntry } from "./audit-words";

/** What an entry changed, folded away: each field before and after, told apart by more than colour. */
export function AuditChanges({ entry }: { entry: AuditEntry }) {
  const changes = changesInWords(entry);
  if (changes.length === 0) return null;
  return (
    <details className="changes">
      <summary className="nowrap" aria-label={`Details: ${actionInWords(entry.action)}, ${subjectInWords(entry)} (entry ${entry.id})`}>Details</summary>
      <dl className="details-list">
        {changes.map(({ label, before, after }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {before === null ? null : <del>{before}</del>} {after === null ? null : <ins>{after}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
