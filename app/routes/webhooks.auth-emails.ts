import { json } from "@remix-run/node";

import { signedAction } from "~/http/route.server";
import { receiveEmailRequest, verifyEmailRequest } from "~/modules/accounts/send-email-hook.server";

/**
 * Supabase's Send Email Hook: the auth service has us send its emails. After 503 with Retry-After it asks again at
 * once; after any other failure it undoes what it did, and its caller is told.
 */
export const action = signedAction(verifyEmailRequest, async (message, { log }) =>
  (await receiveEmailRequest(message, log)) ? json({}) : json({}, { status: 400 }),
);
