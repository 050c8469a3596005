import nodemailer from "nodemailer";

import { env } from "~/env.server";

export interface Email {
  /** The same for each try of the same e-mail, so that a mail program shows it once. */
  id: string;
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
  /** Without the name of whom it is from: the address alone. */
  anonymous?: boolean;
}

/** The mail server did not take an e-mail. Its words are for the log, without the addresses in them. */
export class EmailError extends Error {
  override name = "EmailError";
  constructor(
    message: string,
    /** There is no such mailbox: another try can't help. */
    readonly permanent: boolean,
  ) {
    super(message);
  }
}

/** Well under the two minutes for which a notice is left to its sender. */
export const SEND_DEADLINE_MS = 15_000;
/** "There is no such mailbox" in its kinds (RFC 3463). Other refusals can be a fault of our own set-up. */
const NO_SUCH_MAILBOX = /^5\d\d[ -]5\.(?:1\.(?:1|2|3|6|10)|2\.1)\b/;
const LOOPBACK = /^(?:localhost|127\..*|\[::1\])$/;

/** Whether e-mails can be sent at all: a mail server is configured. */
export function canSendEmail(): boolean {
  return env().mail !== null;
}

/**
 * Hands an e-mail over to the mail server. Takes 15 seconds at most, whatever that server does.
 * @throws EmailError when it was not taken; after a hang it may have been taken all the same
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
  const { hostname } = new URL(mail.smtpUrl);
  const transport = nodemailer.createTransport({
    url: mail.smtpUrl,
    // What is written here stays between us and the mail server.
    requireTLS: !LOOPBACK.test(hostname),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      messageId: `<${id}@${new URL(env().appUrl).hostname}>`,
      from: anonymous ? mail.from.replace(/^.*<(.*)>$/, "$1") : mail.from,
      to,
      subject,
      text,
      html,
      headers: headers ?? {},
      signal: AbortSignal.timeout(SEND_DEADLINE_MS),
    });
  } catch (error) {
    const { message, response } = error as Error & { response?: unknown };
    throw new EmailError(message, typeof response === "string" && NO_SUCH_MAILBOX.test(response));
  } finally {
    transport.close();
  }
}
