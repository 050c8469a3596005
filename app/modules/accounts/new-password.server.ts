import { newPasswordCookie, readCookie } from "~/http/cookies.server";
import type { Session } from "~/http/session.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import type { PasswordOwner } from "./password-rules.server";

/**
 * Whose new password it is, for its rules. A limited session doesn't read its user's name, which someone who has seen only
 * the mailbox may not know.
 * @throws DataError
 */
export async function findPasswordOwner({ user, limited }: Session): Promise<PasswordOwner> {
  if (!limited) return { email: user.email, name: user.fullName };
  const service = createServiceClient();
  const profile = await service
    .from("profiles")
    .select("full_name")
    .eq("id", user.id)
    .maybeSingle();
  return { email: user.email, name: unwrap(profile)?.full_name ?? "" };
}

/** A Set-Cookie value: this user has just set a new password in this browser. */
export const rememberNewPassword = (user: string): Promise<string> =>
  newPasswordCookie().serialize(user);

/** Whether they have. The page that says so asks for it: anyone can send someone its address. */
export const hasNewPassword = async (request: Request, user: string): Promise<boolean> =>
  (await readCookie(newPasswordCookie(), request)) === user;
