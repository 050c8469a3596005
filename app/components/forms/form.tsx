import { useNavigation } from "@remix-run/react";
import { Form } from "react-router-dom";
import type { FormProps } from "react-router-dom";
import { createContext, useContext, useState } from "react";
import type { FormEvent, ReactNode } from "react";

import type { FormState } from "~/components/forms/form-state";
import { useApp } from "~/components/layout/app-context";
import { waitsForConnection } from "~/components/layout/waits-for-connection";

/** Whether this form is being sent, and by which of its buttons. */
export interface Submission {
  busy: boolean;
  submitter: HTMLElement | null;
}

const SubmissionContext = createContext<Submission>({ busy: false, submitter: null });

/** The submission of the enclosing form. */
export function useSubmission(): Submission {
  return useContext(SubmissionContext);
}

/** A number that is derived from a text: almost every other text has another one. */
const hash = (text: string) =>
  [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, 0);

interface PostFormProps extends Omit<FormProps, "method" | "form" | "children"> {
  /** The URL to send the form to; this page's when left out. */
  action?: string;
  /** Which of the page's actions to run; sent as the hidden field "intent". */
  intent?: string;
  /** The form's state, for the id, and for whether its values are stored. */
  form?: Pick<FormState, "id" | "typed">;
  /**
   * What happens to what was typed when someone leaves the form: "warn" asks them first, "drop" doesn't, and a
   * URL is where it is stored as a draft while they type. "warn" for a form with `form` when left out.
   */
  unsaved?: "warn" | "drop" | `/${string}`;
  /**
   * What may have changed when the browser restores the form after Back: the version that it edits,
   * or what its checkboxes are, or are for. The browser restores even selects and boxes that no one
   * has touched.
   */
  version?: readonly (number | string | undefined)[];
  children: ReactNode;
}

/**
 * A form that posts, with and without script. It sends the CSRF token and leaves validation to the
 * server (`noValidate`), so that errors read the same with and without script. With script, a
 * second submission is ignored while the first one is being sent. While that waits for the connection, what was typed
 * since replaces it; where nothing is typed, it would be another decision in place of the first. A form with `form`
 * gets the layout of fields, unless it has its own `className`. In long lists, one that only has buttons leaves the
 * attribute out (`noValidate={false}`). unsaved.ts reads the data attributes.
 */
export function PostForm({
  action,
  intent,
  form,
  id,
  className = form === undefined ? undefined : "fields",
  unsaved = form === undefined ? "drop" : "warn",
  version,
  onSubmit,
  children,
  ...rest
}: PostFormProps) {
  const { csrf } = useApp();
  const navigation = useNavigation();
  const [sent, setSent] = useState<{ submitter: HTMLElement | null } | null>(null);
  const idle = navigation.state === "idle";

  const [wasIdle, setWasIdle] = useState(idle);
  if (wasIdle !== idle) {
    setWasIdle(idle);
    if (idle) setSent(null);
  }

  function handleSubmit(event: FormEvent<HTMLFormElement>) {
    if (sent !== null && !idle && !(unsaved !== "drop" && waitsForConnection())) {
      event.preventDefault();
      return;
    }
    onSubmit?.(event);
    if (event.defaultPrevented) return;
    setSent({ submitter: (event.nativeEvent as SubmitEvent).submitter });
  }

  const submission: Submission = {
    busy: sent !== null && !idle,
    submitter: sent?.submitter ?? null,
  };

  return (
    <Form
      noValidate
      {...rest}
      method="post"
      action={action}
      id={form?.id ?? id}
      className={className}
      onSubmit={handleSubmit}
      data-unsaved={unsaved === "drop" ? undefined : unsaved}
      data-typed={form?.typed || undefined}
      data-busy={submission.busy || undefined}
    >
      {/* The browser restores fields after Back into a form whose first names are the same. This part of the token
          ends with the session and is another one in another account, and so nothing comes back for the next person
          who signs in. It restores checkboxes by their order, and selects and boxes that no one has touched: with `version`,
          nothing comes back into other rows, or into a form of another version, which would be saved as chosen.
          The token is last: a form whose end hasn't arrived is sent without it, and refused (isCutOff). */}
      {form === undefined && !version ? null : (
        <input
          type="hidden"
          name={`t${csrf.slice(18, 26)}${version ? hash(version.join()) : ""}`}
        />
      )}
      {intent === undefined ? null : <input type="hidden" name="intent" value={intent} />}
      <SubmissionContext.Provider value={submission}>{children}</SubmissionContext.Provider>
      <input type="hidden" name="csrf" value={csrf} />
    </Form>
  );
}
