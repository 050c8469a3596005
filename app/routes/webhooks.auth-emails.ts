import { json } from "@remix-run/node";

import { env } from "~/env.server";
import { paths } from "~/http/paths";
import { postOnlyLoader, signedAction } from "~/http/route.server";
import { receiveEmailRequest, verifyEmailRequest } from "~/modules/accounts/send-email-hook.server";

export const loader = postOnlyLoader("It only accepts signed messages from the auth service.");

/**
 * Supabase's Send Email Hook: the auth service has us send its emails. After 503 with Retry-After
 * it asks again at once; after any other failure, and an `error` in what we answer, it undoes what
 * it did, and its caller gets an error.
 */
export const action = signedAction(verifyEmailRequest, async (message, { log }) => {
  const outcome = await receiveEmailRequest(message, log);
  // The hook's own way to say why not, which the team reads in Supabase's dashboard.
  if (outcome === "not invited") return json({ error: { http_code: 422, message: notInvited() } });
  // The auth service keeps one link for both signing in and a new password. Anyone can request the
  // first, which our emails don't have. When it is refused, the second stays as it was, so no one
  // can keep a person from setting a new password.
  if (outcome === "no link") return json({ error: { http_code: 422, message: NO_LINK } });
  // Refused like this, a link that was sent before stays valid.
  if (outcome === "too many") return json({ error: { http_code: 429, message: TOO_MANY } });
  return json({}, { status: outcome === "unknown" ? 400 : 200 });
});

const NO_LINK = "We don’t send sign-in links. Please sign in with your email address and password.";

const TOO_MANY =
  "We already sent emails to this address. Please use the link in the newest one, or try again in an hour.";

const notInvited = () =>
  `The dashboard doesn’t send invitations. Ask them to sign up at ${env().appUrl}${paths.signup()}`;
