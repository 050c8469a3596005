import { createMailTransport } from "~/integrations/email/email.server";
import { redactSecrets } from "~/http/log.server";

import { ASK_TIMEOUT_MS } from "./ask";
import { isLocalStart, type Check } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";

const LIMITS = {
  connectionTimeout: ASK_TIMEOUT_MS,
  greetingTimeout: ASK_TIMEOUT_MS,
  socketTimeout: ASK_TIMEOUT_MS,
  dnsTimeout: ASK_TIMEOUT_MS,
};

const NO_EMAILS = "No email is sent: no confirmation, receipt, or notice. They wait for a week.";

function describeError(host: string, error: unknown): Finding {
  const { code, message } = error as Error & { code?: string };
  if (code === "EAUTH")
    return wrong(
      `The mail server ${host} does not accept the user and password in SMTP_URL`,
      NO_EMAILS,
      "Copy both from your mail provider. In SMTP_URL, write @ : / ? # % in them as %40 %3A %2F %3F %23 %25.",
    );
  if (code === "ETLS")
    return wrong(
      `The mail server ${host} offers no encryption`,
      NO_EMAILS,
      "Use its port with TLS: smtps://…:465, or smtp://…:587 with STARTTLS.",
    );
  if (code === "EENVELOPE" || code === "EMESSAGE")
    return wrong(
      `The mail server ${host} refused the test email: ${redactSecrets(message)}`,
      NO_EMAILS,
      "Add the domain of MAIL_FROM at your mail provider, or correct the address.",
    );
  return wrong(
    `The mail server ${host} does not answer: ${redactSecrets(message)}`,
    NO_EMAILS,
    "Check the host and port in SMTP_URL. Many hosts block port 25: use 587 or 465.",
  );
}

/** The mail server answers and accepts our password. An email is sent only to an address that was given. */
export const email: Check = {
  title: "Email",
  async run({ config, emailTo }) {
    if (!config.mail)
      return [
        wrong(
          "SMTP_URL and MAIL_FROM are not set",
          NO_EMAILS,
          "Set both: .env.example explains them.",
        ),
      ];
    const { smtpUrl, from } = config.mail;
    const { host, username } = new URL(smtpUrl);
    const transport = createMailTransport(smtpUrl, LIMITS);
    try {
      await transport.verify();
      const answers = fine(
        `The mail server ${host} answers${username ? ", and accepts the password" : ""}`,
      );
      if (emailTo === null && isLocalStart(config))
        return [answers, fine(`Emails stay on this machine: ${config.localMailboxUrl}`)];
      if (emailTo === null)
        return [
          answers,
          byHand(
            "Check that emails arrive, and don’t land in spam.",
            "npm run doctor -- --email you@example.org",
          ),
        ];
      await transport.sendMail({
        from,
        to: emailTo,
        subject: "A test email",
        text: "This email shows that the dashboard can send emails. You don’t need to do anything.\n",
      });
      return [
        answers,
        fine(`A test email is on its way to ${emailTo}. Check that it didn’t land in spam`),
      ];
    } catch (error) {
      return [describeError(host, error)];
    } finally {
      transport.close();
    }
  },
};
