import { z } from "zod";

import { readSessionId } from "~/integrations/supabase/access-token";
import type { Tokens } from "~/integrations/supabase/auth.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";

/**
 * Lifts the limit of a session that began with a recovery link, because its user is signed in here anyway. Best effort:
 * when the database doesn't answer, the user can still choose a password, or sign in again.
 * @param db of the session that they were signed in with
 */
export async function continueSession(db: Db, { accessToken }: Tokens): Promise<void> {
  const session = readSessionId(accessToken);
  if (session === null) return;
  try {
    await callFunction(db, "continue_session", { session_id: session }, z.boolean());
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
  }
}
