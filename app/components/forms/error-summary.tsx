import { useActionData } from "@remix-run/react";
import { useEffect, useRef } from "react";

import { toFieldName } from "~/components/forms/form-state";
import type { FormState } from "~/components/forms/form-state";
import { useHydrated } from "~/components/forms/use-hydrated";

/** The news in bold, and then what to do. */
function FirstInBold({ text }: { text: string }) {
  const end = /[.!?]”? /.exec(text);
  const at = end ? end.index + end[0].length : text.length;
  return (
    <>
      <b>{text.slice(0, at)}</b>
      {text.slice(at)}
    </>
  );
}

/**
 * "There is a problem", and each error with a link to its field. It is above the form and takes the
 * focus when it appears, but not when script arrives at a page that has it: someone may be typing by then.
 * Renders nothing when the form has no errors.
 */
export function ErrorSummary({ form: { id, errors } }: { form: Pick<FormState, "id" | "errors"> }) {
  const box = useRef<HTMLDivElement>(null);
  const problems = Object.entries(errors).flatMap(([path, messages]) =>
    messages.map((message) => ({ path, message })),
  );
  const text = problems.map(({ message }) => message).join("\n");
  // When a form was sent again, the same errors are a new answer.
  const answer = useActionData();

  // While script takes over a page, its errors are there already.
  const wasThere = useRef(!useHydrated());
  useEffect(() => {
    if (text !== "" && !wasThere.current) box.current?.focus();
    wasThere.current = false;
  }, [text, answer]);

  if (problems.length === 0) return null;

  return (
    <div className="error-summary" tabIndex={-1} ref={box}>
      <div role="alert">
        <h2>There is a problem</h2>
        <ul>
          {problems.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path === "" ? (
                <FirstInBold text={message} />
              ) : (
                <a href={`#${id}-${toFieldName(path)}`}>{message}</a>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
