/**
 * `npm run erase-due`: deletes the accounts whose owners requested it seven days ago, and those that were
 * never confirmed. For a scheduler, once a day; safe to repeat and to run twice at once. Exits with 1 when
 * some could not be deleted yet, which are tried again later.
 */
import "./app-environment.mjs";

import { recordRun } from "~/integrations/supabase/scheduled-runs.server";
import { eraseDueAccounts } from "~/modules/privacy/erase-due-accounts.server";

import { explainFailure } from "./work/explain-failure";

try {
  const { erased, waiting, unconfirmed } = await eraseDueAccounts();
  await recordRun("erase-due");
  console.log(`${erased} deleted, ${waiting} waiting, ${unconfirmed} never confirmed`);
  if (waiting > 0) process.exitCode = 1;
} catch (error) {
  console.error(explainFailure(error));
  process.exitCode = 1;
}
