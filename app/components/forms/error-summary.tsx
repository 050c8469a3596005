import { useEffect, useRef } from "react";

import { toFieldName } from "~/components/forms/form-state";
import type { FormState } from "~/components/forms/form-state";

/**
 * "There is a problem", and every sentence of what is wrong with a link to its field. It stands above the form and takes
 * the focus when it appears. Nothing when the form has not been refused.
 */
export function ErrorSummary({ form: { id, errors } }: { form: Pick<FormState, "id" | "errors"> }) {
  const box = useRef<HTMLDivElement>(null);
  const problems = Object.entries(errors).flatMap(([path, sentences]) =>
    sentences.map((sentence) => ({ path, sentence })),
  );
  const told = problems.map(({ sentence }) => sentence).join("\n");

  useEffect(() => {
    if (told !== "") box.current?.focus();
  }, [told]);

  if (problems.length === 0) return null;

  return (
    <div className="error-summary" tabIndex={-1} ref={box}>
      <div role="alert">
        <h2>There is a problem</h2>
        <ul>
          {problems.map(({ path, sentence }) => (
            <li key={`${path} ${sentence}`}>
              {path === "" ? (
                <b>{sentence}</b>
              ) : (
                <a href={`#${id}-${toFieldName(path)}`}>{sentence}</a>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
