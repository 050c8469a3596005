import { useEffect, useRef } from "react";

import type { ConformForm, FormField } from "~/components/forms/conform-types";

interface ErrorSummaryProps {
  form: ConformForm;
  /**
   * The form's fields: as a list in the order of the page, which the summary then follows; or as conform's record, when
   * the schema names the fields in that order already.
   */
  fields: readonly FormField[] | Record<string, FormField>;
}

interface Problem {
  sentence: string;
  /** The id of the control to go to; undefined for what concerns the form as a whole. */
  target: string | undefined;
}

/** A name of `tags[2]` or `address.city` belongs to the control of `tags` or of `address`. */
function belongsTo(name: string, fieldName: string): boolean {
  return name === fieldName || name.startsWith(`${fieldName}[`) || name.startsWith(`${fieldName}.`);
}

function problemsOf(form: ConformForm, fields: ErrorSummaryProps["fields"]): Problem[] {
  const problems: Problem[] = (form.errors ?? []).map((sentence) => ({
    sentence,
    target: undefined,
  }));
  const left = new Map(Object.entries(form.allErrors).filter(([name]) => name !== ""));

  if (Array.isArray(fields)) {
    for (const field of fields as readonly FormField[]) {
      for (const [name, sentences] of left) {
        if (!belongsTo(name, field.name)) continue;
        left.delete(name);
        problems.push(...sentences.map((sentence) => ({ sentence, target: field.id })));
      }
    }
  }
  for (const [name, sentences] of left) {
    const known = Array.isArray(fields)
      ? undefined
      : (fields as Record<string, FormField>)[name.split(/[.[]/, 1)[0] ?? name];
    problems.push(
      ...sentences.map((sentence) => ({ sentence, target: known?.id ?? `${form.id}-${name}` }))
    );
  }
  return problems;
}

/**
 * "There is a problem", and every sentence of what is wrong with a link to its field. It stands above the form and takes
 * the focus when it appears. Nothing when the form has not been refused.
 */
export function ErrorSummary({ form, fields }: ErrorSummaryProps) {
  const box = useRef<HTMLDivElement>(null);
  const errors = form.allErrors;
  const refused = Object.keys(errors).length > 0;

  useEffect(() => {
    if (refused) box.current?.focus();
  }, [errors, refused]);

  if (!refused) return null;

  return (
    <div className="error-summary" tabIndex={-1} ref={box}>
      <div role="alert">
        <h2>There is a problem</h2>
        <ul>
          {problemsOf(form, fields).map(({ sentence, target }) => (
            <li key={`${target} ${sentence}`}>
              {target === undefined ? <b>{sentence}</b> : <a href={`#${target}`}>{sentence}</a>}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
