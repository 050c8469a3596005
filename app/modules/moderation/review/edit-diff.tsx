import type { DiffPart, FieldDiff } from "./edit-diff.server";

const CHANGE_LABELS = { removed: "removed", added: "added" } as const;

/** A change has a text for screen readers, since few of them announce `del` and `ins`. */
function Part({ kind, text }: DiffPart) {
  if (kind === "same") return <>{text}</>;
  if (kind === "skipped") {
    return (
      <>
        <span aria-hidden="true"> {text} </span>
        <span className="sr-only" dir="ltr">
          {" "}
          (unchanged text left out){" "}
        </span>
      </>
    );
  }
  const content = (
    <>
      <span className="sr-only" dir="ltr">
        [{CHANGE_LABELS[kind]}:{" "}
      </span>
      {text}
      <span className="sr-only" dir="ltr">
        ]{" "}
      </span>
    </>
  );
  return kind === "removed" ? <del>{content}</del> : <ins>{content}</ins>;
}

/** What an edit changed, field by field: the old text is struck through, the new text is marked. */
export function EditDiff({ fields }: { fields: readonly FieldDiff[] }) {
  return (
    <dl className="details-list">
      {fields.map(({ column, label, parts }) => (
        <div key={column}>
          <dt>{label}</dt>
          <dd className="whitespace-pre-wrap" dir="auto">
            {parts.length === 0 ? <bdi>Empty</bdi> : null}
            {parts.map((part, index) => (
              <Part key={index} {...part} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
