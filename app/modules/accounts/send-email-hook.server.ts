import { createHash } from "node:crypto";

import { Webhook } from "standardwebhooks";
import { z } from "zod";

import { env } from "~/env.server";
import type { Log } from "~/http/log.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";

/**
 * Supabase's Send Email Hook (docs of Supabase, "Send Email Hook"): the auth service asks us to send its emails,
 * so that all emails go through one queue, one mail server, and one log, and look alike.
 *
 * It calls the hook within its own transaction and waits for up to five seconds. Until it has our
 * answer, no one else sees the account, so nothing here may depend on the account.
 */

/** The request, as far as we use it. */
const request = z.object({
  user: z.object({
    id: z.uuid(),
    email: z.string().max(320),
    /** The address that a change of address leads to. */
    new_email: z.string().max(320).optional(),
  }),
  email_data: z.object({
    email_action_type: z.string().regex(/^\w{1,60}$/),
    token_hash: z.string().max(200),
    /** Of a change of address that both addresses confirm: for the current one (`token_hash` is for the new one). */
    token_hash_new: z.string().max(200).default(""),
  }),
});
type EmailRequest = z.infer<typeof request>;

/** A message with a valid signature. What it says may still be anything. */
interface SignedRequest {
  content: unknown;
}

/**
 * Verifies the signature of a message (Standard Webhooks), and that it is recent: no more than five minutes.
 * @param body exactly as it arrived: the signature is over its bytes
 * @returns null when the signature is not valid, or the hook is not configured
 */
export function verifyEmailRequest(body: string, headers: Headers): SignedRequest | null {
  for (const secret of env().sendEmailHookSecrets) {
    try {
      return { content: new Webhook(secret).verify(body, Object.fromEntries(headers)) };
    } catch {
      // Signed with another secret, such as while one is being replaced; or not signed at all.
    }
  }
  return null;
}

const SIX_HOURS_MS = 6 * 60 * 60 * 1000;

interface AccountEmail {
  kind: string;
  address: string;
  data: Record<string, string>;
}

/** The emails that a request asks for; null for those that we don't send. */
function toEmails({ user, email_data: about }: EmailRequest): AccountEmail[] | null {
  const withToken = (kind: string, address: string, token_hash: string, more = {}) => ({
    kind,
    address,
    data: { user: user.id, token_hash, ...more },
  });
  switch (about.email_action_type) {
    case "signup":
      return [withToken("account-confirmation", user.email, about.token_hash)];
    case "recovery":
      return [withToken("account-recovery", user.email, about.token_hash)];
    case "magiclink":
      return [{ kind: "sign-in-help", address: user.email, data: { user: user.id } }];
    case "email_change": {
      const { new_email = "" } = user;
      if (!new_email) return null;
      // Refused or not, for both, by the first.
      return [
        withToken("email-change-to", new_email, about.token_hash),
        ...(about.token_hash_new
          ? [withToken("email-change-from", user.email, about.token_hash_new, { new_email })]
          : []),
      ];
    }
    default:
      return null;
  }
}

/** Notices about a change that was made, such as `password_changed_notification`. Decision 32 says what is written instead. */
const NOTICE = /_notification$/;

/**
 * What is answered: `queued`; `no link` for a sign-in link, which our email doesn't have, or a code, which we don't send;
 * `not sent` for a notice, whose change must not fail because of it; `not invited` for "Invite
 * user" in Supabase's dashboard; `too many` when the address had its emails of this hour; or
 * `unknown` for what can't be read, and for a kind of email that we don't send.
 */
type EmailRequestOutcome =
  "queued" | "no link" | "not sent" | "not invited" | "too many" | "unknown";

/**
 * Queues the emails that a request asks for.
 * @throws DataError when they could not be queued; then the auth service undoes what it did
 */
export async function receiveEmailRequest(
  { content }: SignedRequest,
  log: Log,
): Promise<EmailRequestOutcome> {
  const asked = request.safeParse(content);
  const emails = asked.success ? toEmails(asked.data) : null;
  if (!emails) {
    const type = asked.data?.email_data.email_action_type ?? "unreadable";
    if (NOTICE.test(type)) {
      log.info(
        { type },
        "a notice of the auth service was not sent, since the dashboard writes its own",
      );
      return "not sent";
    }
    // Anyone who is signed in can ask the auth service for one.
    if (type === "reauthentication") return "no link";
    log.error({ type }, "the auth service asked for an email that we don’t send");
    return type === "invite" ? "not invited" : "unknown";
  }
  const db = createServiceClient();
  for (const { kind, address, data } of emails) {
    // When the auth service got no answer, it asks again with the same tokens. An email without a
    // token is useful once, and anyone can ask for it.
    const once = data["token_hash"] ?? Math.floor(Date.now() / SIX_HOURS_MS);
    const key = createHash("sha256")
      .update(JSON.stringify([kind, address, once]))
      .digest("base64url");
    const args = { address, kind, key: `${kind}:${key}`, data };
    if (unwrap(await db.rpc("enqueue_account_email", args)) === false) return "too many";
  }
  triggerEmailDelivery();
  return asked.data?.email_data.email_action_type === "magiclink" ? "no link" : "queued";
}
