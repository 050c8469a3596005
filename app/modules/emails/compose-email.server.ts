import { env } from "~/env.server";
import type { Email } from "~/integrations/email/email.server";
import { isolate } from "~/text/isolate";
import { toOneLine } from "~/text/one-line";

import { isOptionalEmail } from "./optional-emails";
import { renderEmail } from "./render-email.server";
import { emailTemplates } from "./templates.server";
import { createUnsubscribeLink } from "./unsubscribe-link.server";

/** An email in the queue. */
export interface QueuedEmail {
  id: string;
  kind: string;
  /** What its template needs. */
  data: unknown;
  email: string;
  full_name: string | null;
  /** The id of the recipient; null for the address of a listing without an owner. */
  user_id: string | null;
  /** The recipient's emails must not reveal what the directory is. */
  discreet: boolean;
}

/**
 * Composes an email of the queue: its greeting, footer, and headers are added here.
 * @throws when there is no template of its kind, or its data is not what the template needs
 */
export function composeEmail({
  id,
  kind,
  data,
  email,
  full_name: name,
  user_id: userId,
  discreet,
}: QueuedEmail): Email {
  const template = Object.hasOwn(emailTemplates, kind) ? emailTemplates[kind] : undefined;
  if (!template) throw new Error(`There is no email template ${kind}.`);
  const { appUrl, appName } = env();
  const { subject, because, ...content } = template(data, { appUrl });
  const unsubscribeLink =
    userId && isOptionalEmail(kind) ? createUnsubscribeLink({ userId, kind }) : null;
  const { text, html } = renderEmail({
    ...content,
    greeting: name ? `Hello ${isolate(name)},` : "Hello,",
    reason: because ?? defaultReason({ discreet, userId, appName }),
    unsubscribeLink,
  });
  return {
    id,
    to: { name: toOneLine(name ?? ""), address: email },
    subject: discreet ? "A message for you" : subject,
    anonymous: discreet,
    text,
    html,
    // Tells vacation responders not to answer.
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      ...(unsubscribeLink
        ? {
            "List-Unsubscribe": `<${unsubscribeLink}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }
        : {}),
    },
  };
}

/** Why someone gets an email whose template does not say so: it goes to an account, or to a listing without an owner. */
function defaultReason({
  discreet,
  userId,
  appName,
}: {
  discreet: boolean;
  userId: string | null;
  appName: string;
}): string {
  // Only someone with an account can ask for discretion.
  if (discreet) return "You’re receiving this because you have an account.";
  return userId === null
    ? `You’re receiving this because a listing on ${appName} has this address.`
    : `You’re receiving this because you have an account with ${appName}.`;
}
