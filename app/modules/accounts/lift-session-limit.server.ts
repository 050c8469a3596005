import { z } from "zod";

import { readSessionId } from "~/integrations/supabase/access-token";
import type { Tokens } from "~/integrations/supabase/auth.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";

/**
 * Lifts the limit of a session that began with an emailed link in the browser of someone who was signed in to the account,
 * or has just signed up: see docs/decisions/0047. The caller has made sure of that.
 * @returns false when the database doesn't answer, or the session has ended
 */
export async function liftSessionLimit({ accessToken }: Tokens): Promise<boolean> {
  const session_id = readSessionId(accessToken);
  if (session_id === null) return false;
  try {
    const service = createServiceClient();
    return await callFunction(service, "lift_session_limit", { session_id }, z.boolean());
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return false;
  }
}
