import { env } from "~/env.server";
import type { DataError } from "~/integrations/supabase/data.server";

import { redactSecrets } from "./log.server";

/** The data API does not know the table or the function. */
const NOT_THERE = /^PGRST20[25]$/;

/**
 * A sentence for those who run the dashboard about a call of the database that failed: which variable or
 * service to look at. It has no secrets.
 * @param key the variable with the key of the call
 */
export function explainDataError(
  { failure, code, message }: DataError,
  key = "SUPABASE_SECRET_KEY",
): string {
  const { host } = new URL(env().supabaseUrl);
  const said = redactSecrets(message) || code || failure;
  if (NOT_THERE.test(code))
    return `The database at ${host} has none of the migrations, or not all: push them. (${said})`;
  if (failure !== "unavailable") return said;
  if (/api key|jwt/i.test(said)) return `${key} is not accepted by ${host}: ${said}`;
  return `The database at ${host} (SUPABASE_URL) isn’t responding: ${said}.`;
}
