/**
 * `npm run work`: one process that does everything that is due, beside the server: it sends emails, reminds
 * owners, deletes accounts whose time has come, and compares payments with Stripe. Any number of these
 * processes can run at once, beside the single commands. It logs like the server, and survives an outage of the
 * database. At SIGTERM it finishes what it has begun, or abandons it after eight seconds: all of it is
 * safe to repeat.
 */
import "./app-environment.mjs";

import { ConfigurationError } from "~/env.server";
import { checkKeysAtStart } from "~/http/check-keys-at-start.server";
import { log } from "~/http/log.server";

import { runSchedule } from "./work/run-schedule";
import { listTasks } from "./work/tasks";

async function main(): Promise<void> {
  const ending = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => ending.abort());

  const { tasks, missing } = listTasks();
  for (const reason of missing) log().warn({ reason }, "work left out");
  log().info({ tasks: tasks.map(({ name }) => name) }, "work begins");
  // Ends the process when a key is rejected.
  void checkKeysAtStart();
  const unfinished = await runSchedule(tasks, { ending: ending.signal, log: log() });
  for (const name of unfinished) log().warn({ work: name }, "abandoned at the end of the process");
  log().info("work ended");
  process.exit(0);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof ConfigurationError ? error.message : error);
  process.exit(1);
}
