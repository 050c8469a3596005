/**
 * `npm run erase-due`: deletes the accounts whose owners requested it seven days ago, and those that were
 * never confirmed. For a
 * scheduler, once a day; safe to repeat and to run twice at once. Exits with 1 when some could not
 * be deleted yet, which are tried again later.
 */
import "./app-environment.mjs";

import { ConfigurationError } from "~/env.server";
import { DataError } from "~/integrations/supabase/data.server";
import { eraseDueAccounts } from "~/modules/privacy/erase-due-accounts.server";

try {
  const { erased, waiting, unconfirmed } = await eraseDueAccounts();
  console.log(`${erased} deleted, ${waiting} waiting, ${unconfirmed} never confirmed`);
  if (waiting > 0) process.exitCode = 1;
} catch (error) {
  const known = error instanceof ConfigurationError || error instanceof DataError;
  console.error(known ? error.message : error);
  process.exitCode = 1;
}
