import { AuthServiceError, redeemEmailLink, type Tokens } from "./auth.server";
import { createServiceClient } from "./clients.server";
import { unwrap } from "./data.server";

/** Whether a token has the form of a code that `issue_handoff_code` gave to the mobile app. */
export function isHandoffCode(token: string): boolean {
  return /^once_[0-9a-f]{64}$/.test(token);
}

/**
 * Redeems a one-time code of the mobile app and starts a separate session for the user. So no URL
 * ever contains the app's tokens, or anything that stays valid.
 * @returns null for a code that was used, is older than a minute, or whose session in the app ended
 * @throws AuthServiceError `unavailable` or DataError; the code is used up nonetheless, and the app
 *   can ask for another
 */
export async function redeemHandoffCode(code: string): Promise<Tokens | null> {
  const service = createServiceClient();
  const email = unwrap(await service.rpc("redeem_handoff_code", { code }));
  if (!email) return null;
  const { data, error } = await service.auth.admin.generateLink({ type: "magiclink", email });
  if (error) throw new AuthServiceError("unavailable", error.code ?? "");
  return redeemEmailLink("email", data.properties.hashed_token);
}
