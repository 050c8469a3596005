import { z } from "zod";

import { readSessionId } from "./access-token";
import { AuthServiceError, redeemEmailLink, type Tokens } from "./auth.server";
import { callFunction } from "./call-function.server";
import { createServiceClient } from "./clients.server";

/** Whether a token has the form of a code that `issue_handoff_code` gave to the mobile app. */
export function isHandoffCode(token: string): boolean {
  return /^once_[0-9a-f]{64}$/.test(token);
}

/** Whom a code was issued for, and the session in the app that asked for it. */
const redeemedCode = z.object({ email: z.string(), session_id: z.string() }).nullable();

/**
 * Redeems a one-time code of the mobile app and starts a session of its own for the user. So no URL
 * ever contains the app's tokens, or anything that stays valid. The session ends with the app's.
 * @returns null for a code that was used, is older than a minute, or whose session in the app ended
 * @throws AuthServiceError `unavailable` or DataError; the code is used up nonetheless, and the app
 *   can ask for another
 */
export async function redeemHandoffCode(code: string): Promise<Tokens | null> {
  const service = createServiceClient();
  const redeemed = await callFunction(service, "redeem_handoff_code", { code }, redeemedCode);
  if (!redeemed) return null;
  const { data, error } = await service.auth.admin.generateLink({
    type: "magiclink",
    email: redeemed.email,
  });
  if (error) throw new AuthServiceError("unavailable", error.code ?? "");
  const tokens = await redeemEmailLink("email", data.properties.hashed_token);
  const sessionId = tokens && readSessionId(tokens.accessToken);
  if (!sessionId) return null;
  const ties = { session_id: sessionId, issued_by: redeemed.session_id };
  const tied = await callFunction(service, "tie_handed_over_session", ties, z.boolean());
  return tied ? tokens : null;
}
