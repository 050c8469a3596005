import { Fragment } from "react";

import type { DiffPart, FieldDiff } from "./edit-diff.server";

const CHANGE_LABELS = { removed: "removed", added: "added" } as const;

/** A change has its own text for screen readers, since few of them announce `del` and `ins`. */
function Part({ kind, text }: DiffPart) {
  if (kind === "same") return <>{text}</>;
  if (kind === "skipped") {
    return (
      <>
        <span aria-hidden="true">{text}</span>
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

/** Whether a whole value takes the place of another: between words of a text, an arrow would be in the way. */
const isReplaced = (parts: readonly DiffPart[]) =>
  parts.length === 2 && parts[0]!.kind === "removed" && parts[1]!.kind === "added";

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
              <Fragment key={index}>
                {index === 1 && isReplaced(parts) ? <b aria-hidden="true"> → </b> : null}
                <Part {...part} />
              </Fragment>
            ))}
            {parts.length === 1 && parts[0]!.kind === "removed" ? (
              <>
                <b aria-hidden="true"> → </b>
                <bdi className="hint">empty</bdi>
              </>
            ) : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
