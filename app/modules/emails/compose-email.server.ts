import { env } from "~/env.server";
import type { Email } from "~/integrations/email/email.server";

import { isOptionalEmail } from "./optional-emails";
import { renderEmail } from "./render-email.server";
import { emailTemplates } from "./templates.server";
import { createUnsubscribeLink } from "./unsubscribe-link.server";

/** A notice that is to be sent now. */
export interface QueuedEmail {
  id: string;
  kind: string;
  data: unknown;
  email: string;
  full_name: string | null;
  /** Whose account it goes to; null for the address of a listing that nobody owns. */
  person: string | null;
  /** They asked that nobody can tell from a mailbox what the directory is. */
  discreet: boolean;
}

/**
 * The e-mail of a notice: the one place where greeting, footer and headers are made.
 * @throws when there is no such kind of letter, or the notice does not say what it needs
 */
export function composeEmail({
  id,
  kind,
  data,
  email,
  full_name: name,
  person,
  discreet,
}: QueuedEmail): Email {
  const write = Object.hasOwn(emailTemplates, kind) ? emailTemplates[kind] : undefined;
  if (!write) throw new Error(`There is no letter of the kind ${kind}.`);
  const { appUrl, appName } = env();
  const { subject, because, ...letter } = write(data, { appUrl });
  const account = discreet
    ? "You get this e-mail because of something in your account."
    : `You get this e-mail because of something you have on ${appName}.`;
  const stop = person && isOptionalEmail(kind) ? createUnsubscribeLink({ person, kind }) : null;
  const { text, html } = renderEmail({
    ...letter,
    greeting: name ? `Hello ${name},` : "Hello,",
    footer: [because ?? account, ...(stop ? [`To stop these e-mails: ${stop}`] : []), appUrl],
  });
  return {
    id,
    to: { name: name ?? "", address: email },
    subject: discreet ? "A message for you" : subject,
    anonymous: discreet,
    text,
    html,
    // A machine wrote this: holiday replies need not answer.
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      ...(stop
        ? { "List-Unsubscribe": `<${stop}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }
        : {}),
    },
  };
}
