import type { DiffPart, FieldDiff } from "./edit-diff.server";

const SPOKEN = { removed: "removed", added: "added" } as const;

/** A change says what it is to those who hear it, since few screen readers tell of `del` and `ins`. */
function Part({ kind, text }: DiffPart) {
  if (kind === "same") return <>{text}</>;
  if (kind === "skipped") {
    return (
      <>
        <span aria-hidden="true"> {text} </span>
        <span className="sr-only"> (unchanged text left out) </span>
      </>
    );
  }
  const words = (
    <>
      <span className="sr-only">[{SPOKEN[kind]}: </span>
      {text}
      <span className="sr-only">] </span>
    </>
  );
  return kind === "removed" ? <del>{words}</del> : <ins>{words}</ins>;
}

/** What a waiting edit changed, field by field: struck through what was there, set off what is there now. */
export function EditDiff({ fields }: { fields: readonly FieldDiff[] }) {
  return (
    <dl className="details-list">
      {fields.map(({ column, label, parts }) => (
        <div key={column}>
          <dt>{label}</dt>
          <dd className="whitespace-pre-wrap">
            {parts.length === 0 ? "Empty" : null}
            {parts.map((part, index) => (
              <Part key={index} {...part} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
