import { setTimeout as wait } from "node:timers/promises";

import { describeRejectedKey } from "~/integrations/supabase/readiness.server";

import { log } from "./log.server";
import { watchReadiness } from "./watch-readiness.server";

const ATTEMPTS = 60;
const BETWEEN_ATTEMPTS_MS = 5_000;

/**
 * Asks Supabase, when the server starts, whether it accepts our keys, and ends the process when it
 * does not. With a wrong secret key, pages would work but no limit would. While Supabase does not
 * answer the server runs, as it does in any outage, and asks again for some minutes.
 */
export async function checkKeysAtStart(): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { available, rejectedKeys } = await watchReadiness();
    if (rejectedKeys.length > 0) {
      const reasons = rejectedKeys.map((name) => `  - ${describeRejectedKey(name)}`);
      process.stderr.write(
        `${["The dashboard can't start: its keys don't work.", ...reasons].join("\n")}\n`,
      );
      process.exit(1);
    }
    if (available) return;
    await wait(BETWEEN_ATTEMPTS_MS, undefined, { ref: false });
  }
  log().warn("keys could not be checked, since Supabase did not answer");
}
