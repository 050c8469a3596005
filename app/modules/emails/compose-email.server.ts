import { env } from "~/env.server";
import type { Email } from "~/integrations/email/email.server";
import { toFirstLetter } from "~/text/first-letter";
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

/** The fields of emails' data with what users have called their listings and jobs. */
const NAMES = ["name", "listing", "business", "title"] as const;

/**
 * The data of an email for someone in discreet mode. What they have called a listing or a job often says what the
 * directory is. Of each such name only its first letter stays, to tell one from another.
 */
function abbreviateNames(data: unknown): unknown {
  const names = Object.entries(data ?? {}).flatMap(([key, value]) =>
    NAMES.some((name) => name === key) && typeof value === "string"
      ? [[key, toFirstLetter(value)] as const]
      : [],
  );
  return names.length > 0 ? { ...(data as object), ...Object.fromEntries(names) } : data;
}

/**
 * Composes an email of the queue: its greeting, footer, and headers are added here. In discreet mode it calls no one by
 * name, since others may read the mailbox who don't know that name.
 * @throws when there is no template of its kind, or its data is not what the template needs
 */
export function composeEmail({
  id,
  kind,
  data,
  email,
  full_name,
  user_id: userId,
  discreet,
}: QueuedEmail): Email {
  const template = Object.hasOwn(emailTemplates, kind) ? emailTemplates[kind] : undefined;
  if (!template) throw new Error(`There is no email template ${kind}.`);
  const { appUrl, appName } = env();
  const { subject, because, ...content } = template(discreet ? abbreviateNames(data) : data, {
    appUrl,
  });
  const name = discreet ? null : full_name;
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
