import { AuthServiceError } from "~/integrations/supabase/auth.server";
import { DataError } from "~/integrations/supabase/data.server";

import { redactSecrets } from "./log.server";

/**
 * What the log says about a failure: its kind and its code, the status that the service answered
 * with, and why.
 */
export function describeFailure(error: unknown) {
  if (error instanceof AuthServiceError) {
    const { failure, code, status, reason, message } = error;
    return {
      failure,
      code,
      upstreamStatus: status || undefined,
      // It quotes the address, in which almost any character is allowed.
      reason: failure === "address" ? undefined : redactSecrets(reason || message),
    };
  }
  const known = error instanceof DataError;
  return {
    failure: known ? error.failure : "unknown",
    code: known ? error.code : undefined,
    reason: redactSecrets(error instanceof Error ? error.message : String(error)),
  };
}
