import { Form, useNavigation } from "@remix-run/react";
import type { FormProps } from "@remix-run/react";
import { createContext, useContext, useState } from "react";
import type { FormEvent, ReactNode } from "react";

import type { FormState } from "~/components/forms/form-state";
import { useApp } from "~/components/layout/app-context";

/** Whether this very form is being sent, and by which of its buttons. */
export interface Submission {
  busy: boolean;
  submitter: HTMLElement | null;
}

const SendingContext = createContext<Submission>({ busy: false, submitter: null });

/** How the form around is being sent. */
export function useSubmission(): Submission {
  return useContext(SendingContext);
}

interface PostFormProps extends Omit<FormProps, "method" | "noValidate" | "form" | "children"> {
  /** Where it is sent; this page's own address when left out. */
  action?: string;
  /** Which of the page's actions is meant, sent as the hidden field "intent". */
  intent?: string;
  /** The form's state: gives the id. */
  form?: Pick<FormState, "id">;
  children: ReactNode;
}

/**
 * A form that posts, with and without script. It carries the token against forged posts and leaves judging to the
 * server (`noValidate`), so that every refusal reads the same for everybody. With script, a second press while it is
 * being sent is ignored. The fields of a conform form stand one below the other in a readable width, unless `className`
 * says otherwise.
 */
export function PostForm({
  action,
  intent,
  form,
  id,
  className = form === undefined ? undefined : "fields",
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
    if (sent !== null && !idle) {
      event.preventDefault();
      return;
    }
    onSubmit?.(event);
    if (event.defaultPrevented) return;
    setSent({ submitter: (event.nativeEvent as SubmitEvent).submitter });
  }

  const sending: Submission = { busy: sent !== null && !idle, submitter: sent?.submitter ?? null };

  return (
    <Form
      {...rest}
      method="post"
      action={action}
      id={form?.id ?? id}
      className={className}
      noValidate
      onSubmit={handleSubmit}
    >
      <input type="hidden" name="csrf" value={csrf} />
      {intent === undefined ? null : <input type="hidden" name="intent" value={intent} />}
      <SendingContext.Provider value={sending}>{children}</SendingContext.Provider>
    </Form>
  );
}
