import { useEffect, useRef } from "react";

import { SubmitButton } from "~/components/forms/submit-button";
import type { ButtonVariant } from "~/components/ui/button";

import type { Contact } from "./user-list.server";

/** An address or a number: as far as it is known here, or that there is none. */
export function EmailAddress({
  masked,
  revealed,
}: {
  masked: string | null;
  revealed: Contact | undefined;
}) {
  if (revealed?.email) return <a href={`mailto:${revealed.email}`}>{revealed.email}</a>;
  return <>{masked ?? "None"}</>;
}

export function PhoneNumber({
  masked,
  revealed,
}: {
  masked: string | null;
  revealed: Contact | undefined;
}) {
  if (revealed?.phone)
    return <a href={`tel:${revealed.phone.replace(/[^+\d]/g, "")}`}>{revealed.phone}</a>;
  return <>{masked ?? "None"}</>;
}

interface RevealButtonProps {
  id: string;
  name: string;
  revealed: boolean;
  /** Where the form around is sent: this page, at the place where the answer stands. */
  action: string;
  variant?: ButtonVariant;
}

/** Asks for somebody's address and number, in a form with the intent "reveal"; then says that it was logged. */
export function RevealButton({ id, name, revealed, action, variant = "quiet" }: RevealButtonProps) {
  const note = useRef<HTMLSpanElement>(null);
  // The button that had the focus is gone: it goes on to what came in its place.
  useEffect(() => {
    if (revealed) note.current?.focus();
  }, [revealed]);
  if (revealed) {
    return (
      <span ref={note} tabIndex={-1} className="hint">
        Shown, and logged
      </span>
    );
  }
  return (
    <SubmitButton
      variant={variant}
      name="person"
      value={id}
      formAction={action}
      about={name}
      busyText="Showing"
    >
      Show contact
    </SubmitButton>
  );
}
