import { useState } from "react";
import type { MouseEvent, ReactNode } from "react";

import { useSubmission } from "~/components/forms/form";
import { getButtonClass } from "~/components/ui/button";
import type { ButtonVariant } from "~/components/ui/button";

interface SubmitButtonProps {
  children: ReactNode;
  /** Stands on the button while the form is being sent. */
  busyText?: string;
  variant?: ButtonVariant;
  name?: string;
  value?: string;
  /** Where this button sends the form, when that differs from the form's own action. */
  formAction?: string;
  className?: string;
  /** What it is about, said to those who hear it where a page has many of these: "Hide listing: Café X". */
  about?: string;
}

/**
 * Sends the form around it. While that goes on it says so and ignores a second press; it is never `disabled`, so the
 * focus stays on it and nothing is lost when script fails half-way.
 */
export function SubmitButton({
  children,
  busyText = "Loading",
  variant = "primary",
  className,
  about,
  ...rest
}: SubmitButtonProps) {
  const sending = useSubmission();
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const mine = sending.busy && (sending.submitter === null || sending.submitter === button);

  function guard(event: MouseEvent) {
    if (sending.busy) event.preventDefault();
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
            : `${mine ? busyText : children}: ${about}`
        }
        aria-disabled={sending.busy || undefined}
        onClick={guard}
      >
        {mine ? busyText : children}
      </button>
      {mine ? (
        <span role="status" className="sr-only">
          {busyText}
        </span>
      ) : null}
    </>
  );
}
