import type { ReactNode } from "react";

import { PostForm } from "~/components/forms/form";
import type { FormState } from "~/components/forms/form-state";
import { SubmitButton } from "~/components/forms/submit-button";
import { ButtonLink } from "~/components/ui/button";

interface ConfirmationPageProps {
  /** The question, as a heading: "Do you really want to permanently delete this user?" */
  title: ReactNode;
  /** Explains what will happen. */
  children: ReactNode;
  /** The button's label: a verb with its object, never "OK". */
  confirmLabel: string;
  busyText?: string;
  cancelHref: string;
  cancelLabel?: string;
  /** "danger" for what cannot be undone. */
  tone?: "plain" | "danger";
  /** The URL to send the form to; this page's when left out. */
  action?: string;
  intent?: string;
  /** Hidden fields; a list results in one input for each of its values. */
  hidden?: Record<string, string | readonly string[]>;
  /** The state of the form, if it has fields, and these. */
  form?: Pick<FormState, "id" | "typed">;
  fields?: ReactNode;
}

/**
 * Asks the user to confirm something. It is a page with a form, so that it works without script.
 */
export function ConfirmationPage({
  title,
  children,
  confirmLabel,
  busyText,
  cancelHref,
  cancelLabel = "Cancel",
  tone = "plain",
  action,
  intent,
  hidden = {},
  form,
  fields,
}: ConfirmationPageProps) {
  return (
    <div className="confirmation">
      <h1>{title}</h1>
      <div className="prose">{children}</div>
      <PostForm action={action} intent={intent} form={form} unsaved="drop">
        {Object.entries(hidden).flatMap(([name, value]) =>
          (typeof value === "string" ? [value] : value).map((one, index) => (
            <input key={`${name} ${index}`} type="hidden" name={name} value={one} />
          )),
        )}
        {fields}
        <div className="buttons measure">
          <SubmitButton variant={tone === "danger" ? "danger" : "primary"} busyText={busyText}>
            {confirmLabel}
          </SubmitButton>
          <ButtonLink variant="quiet" to={cancelHref}>
            {cancelLabel}
          </ButtonLink>
        </div>
      </PostForm>
    </div>
  );
}
