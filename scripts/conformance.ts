/**
 * `npm run conformance`: runs the contracts of this app with a Supabase against the one that SUPABASE_URL,
 * SUPABASE_PUBLISHABLE_KEY, and SUPABASE_SECRET_KEY name in the shell, and prints a table of differences. It
 * makes its own accounts and removes them. Exits with 1 when a difference is unknown
 * (scripts/conformance/known-differences.ts). docs/testing.md says more.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { readTarget, TargetError } from "./conformance/target";

/** The variables of the shell that Node needs. The others may be the settings of a dashboard. */
const KEPT = /^(?:path|home|temp|tmp|tmpdir|systemroot|node_.*|no_proxy|https?_proxy|all_proxy)$/i;

/** Longer than the reuse interval of refresh tokens in supabase/config.toml. */
const PAST_REUSE_INTERVAL_MS = 12_000;

async function main(): Promise<void> {
  const target = readTarget(process.env);
  for (const name of Object.keys(process.env)) if (!KEPT.test(name)) delete process.env[name];
  Object.assign(process.env, {
    SUPABASE_URL: target.url,
    SUPABASE_PUBLISHABLE_KEY: target.publishableKey,
    SUPABASE_SECRET_KEY: target.secretKey,
    // What the app's own code needs besides, and the suite does not.
    APP_URL: "http://localhost:3000",
    SESSION_SECRET: randomBytes(32).toString("base64url"),
    LOG_LEVEL: "silent",
  });
  const { runSuite } = await import("./conformance/run-suite");
  const { writeReport } = await import("./conformance/report");
  console.log(
    `Running against ${target.url}. This takes a few minutes where the auth service limits requests.`,
  );
  const interrupted = new AbortController();
  // The signal may come twice: npm passes it on, although the terminal has already sent it.
  process.on("SIGINT", () => {
    if (!interrupted.signal.aborted)
      console.log("Stopping: the accounts of this run are removed first.");
    interrupted.abort(new Error("It was interrupted."));
  });
  const { text, isWell } = writeReport(
    await runSuite(target, {
      passReuseInterval: () => sleep(PAST_REUSE_INTERVAL_MS),
      signal: interrupted.signal,
    }),
  );
  console.log(text);
  if (!isWell) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof TargetError ? error.message : error);
  process.exitCode = 1;
}
