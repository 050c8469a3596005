import { randomUUID } from "node:crypto";

import { Webhook } from "standardwebhooks";

import { ask, NoAnswer, type Answer } from "./ask";
import { findSupabasePage, type Check, type Config } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";

const NO_SIGN_UP = "Sign-ups and new passwords fail: the auth service gets no email sent.";

/** A request for a kind of email that does not exist: refused once its signature is accepted. */
const BODY = JSON.stringify({
  user: { id: "00000000-0000-4000-8000-000000000000", email: "doctor@invalid" },
  email_data: { email_action_type: "doctor", token_hash: "none", token_hash_new: "" },
});

/** The headers of the auth service, with which it signs a body. */
function signatureHeaders(secret: string): Record<string, string> {
  const [id, now] = [randomUUID(), new Date()];
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, now, BODY),
  };
}

const send = (config: Config, headers: Record<string, string>): Promise<Answer> =>
  ask(`${config.appUrl}/webhooks/auth-emails`, {
    method: "POST",
    body: BODY,
    headers: { "Content-Type": "application/json", ...headers },
  });

/** With an accepted signature the route refuses the kind of email; without one, it says that one is missing. */
const isRefusedAfterSignature = ({ status, text }: Answer) =>
  status === 400 && text.trim() === "{}";
const isRefusedBeforeSignature = ({ status, text }: Answer) =>
  status === 400 && text.includes("That was not signed");

async function checkRoute(config: Config): Promise<Finding[]> {
  const [unsigned, ...signed] = await Promise.all([
    send(config, {}),
    ...config.sendEmailHookSecrets.map((secret) => send(config, signatureHeaders(secret))),
  ]);
  const all = [unsigned, ...signed];
  const foreign = all.find(
    (answer) => !isRefusedAfterSignature(answer) && !isRefusedBeforeSignature(answer),
  );
  if (foreign)
    return [
      wrong(
        `${config.appUrl}/webhooks/auth-emails answers ${foreign.status}, but that isn’t the dashboard’s answer`,
        NO_SIGN_UP,
        "Let the proxy pass POST requests to /webhooks/ on, without a sign-in or a challenge of its own.",
      ),
    ];
  if (isRefusedAfterSignature(unsigned))
    return [
      wrong(
        "The hook’s address accepts requests that no one signed",
        "Anyone can have the dashboard send emails.",
        "Deploy the dashboard again, and check what changes requests on their way to it.",
      ),
    ];
  return [
    signed.every(isRefusedAfterSignature)
      ? fine("The running dashboard accepts what SEND_EMAIL_HOOK_SECRET signs, and nothing else")
      : wrong(
          "The running dashboard does not accept what SEND_EMAIL_HOOK_SECRET signs",
          NO_SIGN_UP,
          `Start it again with the secret that ${findSupabasePage(config, "auth/hooks")} shows. If it has that one, its clock is wrong.`,
        ),
  ];
}

/** The address that the auth service asks for emails: whether it knows our signature. */
export const emailHook: Check = {
  title: "Email hook",
  async run({ config }) {
    if (config.sendEmailHookSecrets.length === 0)
      return [
        byHand(
          "SEND_EMAIL_HOOK_SECRET is not set, so Supabase sends its emails itself. Without an SMTP server of its own, and our templates, no one can join.",
          findSupabasePage(config, "auth/hooks"),
        ),
      ];
    try {
      return await checkRoute(config);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return [
        wrong(
          `${config.appUrl}/webhooks/auth-emails ${error.message}`,
          NO_SIGN_UP,
          "See the public address below.",
        ),
      ];
    }
  },
};
