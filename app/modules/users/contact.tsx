import { useEffect, useRef } from "react";

import { SubmitButton } from "~/components/forms/submit-button";
import { mailtoLink } from "~/text/mailto";
import { telLink } from "~/text/tel";

import type { Contact } from "./users.server";

/** An email address: whole when it was revealed, otherwise masked. */
export function EmailAddress({
  masked,
  revealed,
}: {
  masked: string | null;
  revealed: Contact | undefined;
}) {
  if (revealed?.email) {
    // In a narrow column both halves stay whole, if they can.
    const [name, host] = revealed.email.split(/(?=@[^@]*$)/);
    return (
      <a href={mailtoLink(revealed.email)} dir="auto">
        {name}
        <wbr />
        {host}
      </a>
    );
  }
  // A whole address may be long; the few characters of a masked one stay together.
  return <bdi className="nowrap">{masked ?? "None"}</bdi>;
}

/** A phone number: whole when it was revealed, otherwise masked. */
export function PhoneNumber({
  masked,
  revealed,
}: {
  masked: string | null;
  revealed: Contact | undefined;
}) {
  if (revealed?.phone)
    return (
      <a href={telLink(revealed.phone)} dir="auto">
        {revealed.phone}
      </a>
    );
  return <bdi>{masked ?? "None"}</bdi>;
}

interface RevealButtonProps {
  id: string;
  name: string;
  revealed: boolean;
  /** The URL that the form is sent to: the page, at the element that shows the result. */
  action: string;
}

/** Reveals the contact details of a user, in a form with the intent "reveal". Then it says that this was logged. */
export function RevealButton({ id, name, revealed, action }: RevealButtonProps) {
  const note = useRef<HTMLSpanElement>(null);
  // The button that had the focus is gone, so the text in its place gets the focus.
  useEffect(() => {
    if (revealed) note.current?.focus();
  }, [revealed]);
  if (revealed) {
    return (
      <span ref={note} tabIndex={-1} className="hint">
        Shown and logged
      </span>
    );
  }
  return (
    <SubmitButton
      variant="quiet"
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
