import { AuthServiceError } from "~/integrations/supabase/auth.server";
import { DataError } from "~/integrations/supabase/data.server";

import { Accounts } from "./accounts";
import type { Target } from "./target";
import { outcomeOf, patiently, Wire, type Answer } from "./wire";

/** What was compared. */
export interface Result {
  /** Its topic and what was tried, such as `sign-up: a known address`. */
  check: string;
  expected: string;
  actual: string;
}

/** A part of the contracts. It makes its own accounts. */
export type Scenario = (run: Run) => Promise<void>;

export interface RunOptions {
  /** Lets the refresh tokens that were used grow older than the reuse interval. */
  passReuseInterval?: () => Promise<void>;
  /** Ends the run at the next check; its accounts are removed as at any other end. */
  signal?: AbortSignal;
}

/** One run of the suite: what the scenarios use, and what they found. */
export class Run {
  readonly wire: Wire;
  readonly accounts: Accounts;
  readonly results: Result[] = [];
  #topic = "";

  constructor(
    readonly target: Target,
    readonly options: RunOptions = {},
  ) {
    this.wire = new Wire(target);
    this.accounts = new Accounts(this.wire, target);
  }

  /** Plays a scenario. One that fails midway counts as a difference, and the others go on. */
  async play(topic: string, scenario: Scenario): Promise<void> {
    this.#topic = topic;
    try {
      await scenario(this);
    } catch (error) {
      const actual = error instanceof Error ? error.message : String(error);
      this.results.push({ check: `${topic}: runs to its end`, expected: "yes", actual });
    }
  }

  /** Compares a value. */
  equal(what: string, expected: string, actual: unknown): void {
    this.results.push({ check: `${this.#topic}: ${what}`, expected, actual: String(actual) });
    this.options.signal?.throwIfAborted();
  }

  /** Compares an answer of the wire, such as `403 otp_expired`. */
  async answer(what: string, expected: string, work: Promise<Answer>): Promise<Answer> {
    const answer = await work;
    this.equal(what, expected, outcomeOf(answer));
    return answer;
  }

  /**
   * Compares how a call of our own integrations ended: `ok`, or the kind and the code of its failure.
   * Returns what the call returned; undefined after a failure.
   */
  async call<T>(what: string, expected: string, work: () => Promise<T>): Promise<T | undefined> {
    const ended = await patiently(
      () =>
        work().then(
          (value) => ({ outcome: "ok", value }),
          (error: unknown) => ({ outcome: describe(error), value: undefined }),
        ),
      ({ outcome }) => outcome === "limited over_request_rate_limit",
    );
    this.equal(what, expected, ended.outcome);
    return ended.value;
  }
}

function describe(error: unknown): string {
  if (error instanceof AuthServiceError) return `${error.failure} ${error.code}`.trim();
  if (error instanceof DataError) return `${error.failure} ${error.reason ?? error.code}`;
  throw error;
}
