import { bans, errorCodes, rateLimit } from "./auth-errors";
import { changeEmail, recover, signUpAndConfirm } from "./auth-emails";
import { factors } from "./auth-factors";
import { otherSignIns, refresh, signOutScopes } from "./auth-sessions";
import { functions, relations, requests } from "./data";
import { findKnown } from "./known-differences";
import { refusals } from "./refusals";
import { Run, type Result, type RunOptions, type Scenario } from "./run";
import type { Target } from "./target";

/** A result that is not what was expected. */
export interface Difference extends Result {
  /** Why it is so, if it is a known one. */
  reason: string | null;
}

export interface Report {
  checks: number;
  differences: Difference[];
  /** Sentences about what could not be removed. */
  left: string[];
}

const SCENARIOS: Record<string, Scenario> = {
  "sign-up": signUpAndConfirm,
  recovery: recover,
  "email change": changeEmail,
  refresh,
  "sign-out": signOutScopes,
  "sign-in": otherSignIns,
  factors,
  errors: errorCodes,
  bans,
  requests,
  relations,
  functions,
  refusals,
  limits: rateLimit,
};

/** Runs the suite against the Supabase that the app's environment names, and removes what it made. */
export async function runSuite(target: Target, options: RunOptions = {}): Promise<Report> {
  const run = new Run(target, options);
  let left: string[];
  try {
    for (const [topic, scenario] of Object.entries(SCENARIOS)) {
      if (options.signal?.aborted) break;
      await run.play(topic, scenario);
    }
  } finally {
    left = await run.accounts.removeAll();
  }
  const differences = run.results
    .filter(({ expected, actual }) => expected !== actual)
    .map((result) => ({ ...result, reason: findKnown(result) }));
  return { checks: run.results.length, differences, left };
}
