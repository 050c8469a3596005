import { useState } from "react";
import type { MouseEvent, ReactNode } from "react";

import { useSubmission } from "~/components/forms/form";
import { waitsForConnection } from "~/components/layout/waits-for-connection";
import { getButtonClass } from "~/components/ui/button";
import type { ButtonVariant } from "~/components/ui/button";

interface SubmitButtonProps {
  children: ReactNode;
  /** The button's text while the form is being sent. */
  busyText?: string;
  variant?: ButtonVariant;
  name?: string;
  value?: string;
  /** The URL that this button sends the form to, when it differs from the form's action. */
  formAction?: string;
  /** The id of the form, for a button outside it. */
  form?: string;
  className?: string;
  /** Makes the accessible name unique: "Hide listing" about "Café X" is "Hide listing: Café X". */
  about?: string;
}

/**
 * Submits the enclosing form. While the form is being sent the button says so and ignores clicks, unless that
 * waits for the connection: what was typed into the form since would not be sent.
 * It is never `disabled`, so that it keeps the focus, and still works when the script fails. A space keeps
 * it apart where no style does.
 */
export function SubmitButton({
  children,
  busyText = "Loading",
  variant = "primary",
  className,
  about,
  ...rest
}: SubmitButtonProps) {
  const submission = useSubmission();
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const isSubmitter =
    submission.busy && (submission.submitter === null || submission.submitter === button);

  function guard(event: MouseEvent) {
    // The second click of a double click was not meant for what may be there by now: the next
    // listing, or the opposite action.
    const isTyped = button?.form?.dataset["unsaved"] !== undefined;
    if ((submission.busy && !(isTyped && waitsForConnection())) || event.detail > 1)
      event.preventDefault();
  }

  return (
    <>
      <button
        {...rest}
        type="submit"
        ref={setButton}
        className={getButtonClass(variant, className)}
        aria-label={
          about === undefined || typeof children !== "string"
            ? undefined
            : `${isSubmitter ? busyText : children}: ${about}`
        }
        aria-disabled={submission.busy || undefined}
        onClick={guard}
      >
        {isSubmitter ? busyText : children}
      </button>{" "}
      {isSubmitter ? (
        <span role="status" className="sr-only">
          {busyText}
        </span>
      ) : null}
    </>
  );
}
