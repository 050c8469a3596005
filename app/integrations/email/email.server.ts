import nodemailer from "nodemailer";

import { env } from "~/env.server";
import { callUpstream } from "~/integrations/upstream/call-upstream.server";

export interface Email {
  /** The same in each attempt to send the same email, so that a mail program shows it once. */
  id: string;
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
  /** Leaves out the sender's name, so that only the address is shown. */
  anonymous?: boolean;
}

/**
 * The mail server did not accept an email. Its message is for the log, once addresses are redacted.
 */
export class EmailError extends Error {
  override name = "EmailError";
  constructor(
    message: string,
    /** There is no such mailbox: trying again can't help. */
    readonly permanent: boolean,
    /** The mail server answered, and refused this email alone: its recipient, or what it says. */
    readonly emailRefused = false,
  ) {
    super(message);
  }
}

/**
 * Well below the five minutes for which the database reserves an email for the process that sends
 * it. A server that checks what it accepts can take long, and has the email nonetheless when we stop waiting: it would
 * get the same one again (RFC 5321, section 4.5.3.2, even says ten minutes).
 */
export const SEND_DEADLINE_MS = 60_000;
/** The codes for "no such mailbox" (RFC 3463). Other errors may be faults of our own setup. */
const NO_SUCH_MAILBOX = /^5\d\d[ -]5\.(?:1\.(?:1|2|3|6|10)|2\.1)\b/;
const LOOPBACK = /^(?:localhost|127\..*|\[::1\])$/;

/** Whether emails can be sent at all: a mail server is configured. */
export function canSendEmail(): boolean {
  return env().mail !== null;
}

/**
 * Opens the connection to a mail server. It is encrypted, except to this machine.
 * @param limits nodemailer's timeouts, where its own are too long
 */
export function createMailTransport(smtpUrl: string, limits: object = {}) {
  return nodemailer.createTransport({
    ...limits,
    url: smtpUrl,
    // The text must not travel unencrypted.
    requireTLS: !LOOPBACK.test(new URL(smtpUrl).hostname),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Hands an email to the mail server. Takes a minute at most, even when that server hangs.
 * @throws EmailError when it was not accepted; after a hang it may have been accepted nonetheless
 */
export async function sendEmail({
  id,
  to,
  subject,
  text,
  html,
  headers,
  anonymous = false,
}: Email): Promise<void> {
  const mail = env().mail;
  if (!mail) throw new EmailError("No mail server is configured.", false);
  const transport = createMailTransport(mail.smtpUrl);
  try {
    await callUpstream(
      { service: "mail", name: "mail send", limitMs: SEND_DEADLINE_MS },
      async (attempt) => {
        await transport.sendMail({
          messageId: `<${id}@${new URL(env().appUrl).hostname}>`,
          from: anonymous ? mail.from.replace(/^.*<(.*)>$/, "$1") : mail.from,
          to,
          subject,
          text,
          html,
          headers: headers ?? {},
          signal: attempt.signal,
        });
        // SMTP's "done"; a failure is thrown.
        attempt.status = 250;
      },
    );
  } catch (error) {
    const { message, response, responseCode, command } = error as Error & {
      response?: unknown;
      responseCode?: unknown;
      command?: unknown;
    };
    const refusal = typeof response === "string" ? response : "";
    // Users choose names, which a server may take for spam. (One that takes no email at all for now usually says 4xx.)
    const wordsRefused = command === "DATA" && Number(responseCode) >= 500;
    throw new EmailError(
      message,
      NO_SUCH_MAILBOX.test(refusal),
      command === "RCPT TO" || wordsRefused,
    );
  } finally {
    transport.close();
  }
}
