import { z } from "zod";

import type { Session } from "~/http/session.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";

/**
 * The account that a link in an email opens, for the page that asks before it does: its address, and
 * that of the account that is signed in, if it is another one. Null when the link was used or is too old.
 * @throws DataError
 */
export async function findLinkAccount(
  tokenHash: string,
  session: Session | null,
): Promise<{ email: string; current: string | null } | null> {
  const db = createServiceClient();
  const address = z.string().nullable();
  const email = await callFunction(db, "address_of_link", { token_hash: tokenHash }, address);
  if (email === null) return null;
  return { email, current: session && session.user.email !== email ? session.user.email : null };
}
