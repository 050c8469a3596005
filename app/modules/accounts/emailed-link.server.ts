import { z } from "zod";

import { enforceRateLimit, getClientNetwork, type RateLimit } from "~/http/rate-limit.server";
import type { Session } from "~/http/session.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";

const linkTarget = z.object({ user: z.string(), address: z.string() }).nullable();

/**
 * The account that a link in an email opens, for the page that asks before it does: the address that the
 * link was sent to, and that of the account that is signed in, if it is another one. Null when the link was
 * used or is too old. A link to a new address doesn't say what the account's address is: that mailbox
 * may be a stranger’s.
 * @throws DataError
 */
export async function findLinkAccount(
  tokenHash: string,
  session: Session | null,
): Promise<{ email: string; current: string | null } | null> {
  const db = createServiceClient();
  const target = await callFunction(db, "target_of_link", { token_hash: tokenHash }, linkTarget);
  if (target === null) return null;
  const isOther = session !== null && session.user.id !== target.user;
  return { email: target.address, current: isOther ? session.user.email : null };
}

/**
 * Whether a link may be redeemed. Only unknown ones are counted, so that no one can use up the attempts of
 * all who share a network: a link that was sent to someone always works.
 * @throws HttpError 429 for too many unknown ones, DataError
 */
export async function isKnownLink(
  request: Request,
  tokenHash: string,
  limit: RateLimit,
): Promise<boolean> {
  if ((await findLinkAccount(tokenHash, null)) !== null) return true;
  await enforceRateLimit(limit, getClientNetwork(request));
  return false;
}
