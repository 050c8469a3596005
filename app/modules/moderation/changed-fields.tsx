import type { Change } from "./review-queue.server";

/** What a waiting edit changed, folded away: each field before and after, marked by more than colour. */
export function ChangedFields({ changes, about }: { changes: Change[]; about: string }) {
  if (changes.length === 0) return null;
  return (
    <details className="changes">
      <summary className="nowrap">
        {changes.length === 1 ? "1 change" : `${changes.length} changes`}
        <span className="sr-only">: {about}</span>
      </summary>
      <dl className="details-list">
        {changes.map(({ label, before, after }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <del>{before}</del> <ins>{after}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
