/**
 * Records which calls to Supabase a piece of work makes, and how many of them wait for one another:
 * that number times the latency of the database is how long a user waits for a page.
 *
 * Timing alone cannot distinguish "after" from "because of". So answers are held back until every
 * call in progress has its answer and no new call is made, and are then delivered together: that is
 * one round. A call is in the second round only if it needed an answer of the first.
 */
import { AsyncLocalStorage } from "node:async_hooks";

import { processWide } from "./process-wide";

export interface Call {
  /** Such as `GET /rest/v1/places`. */
  name: string;
  /** 1 for calls made at once, 2 for calls that needed an answer, and so on. */
  round: number;
}

/** A round is over when no new call is made for this long. */
const SETTLED_MS = 4;

class Recording {
  readonly calls: Call[] = [];
  #round = 1;
  #unanswered = 0;
  #held: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly origin: string) {}

  async hold(name: string, ask: () => Promise<Response>): Promise<Response> {
    this.calls.push({ name, round: this.#round });
    this.#unanswered += 1;
    clearTimeout(this.#timer);
    try {
      return await ask();
    } finally {
      this.#unanswered -= 1;
      const turn = new Promise<void>((resolve) => this.#held.push(resolve));
      if (this.#unanswered === 0) this.#timer = setTimeout(() => this.#deliver(), SETTLED_MS);
      await turn;
    }
  }

  #deliver() {
    this.#round += 1;
    for (const release of this.#held.splice(0)) release();
  }
}

const recordings = processWide("calls", () => new AsyncLocalStorage<Recording>());
const watched = Symbol.for("tests.calls.watched");

/** Runs work. @returns its result and the calls that it made to this origin, in order */
export async function recordCalls<T>(
  origin: string,
  work: () => Promise<T>,
): Promise<{ result: T; calls: Call[] }> {
  watchFetch();
  const recording = new Recording(origin);
  const result = await recordings.run(recording, work);
  return { result, calls: recording.calls };
}

function watchFetch() {
  const original = globalThis.fetch;
  if (watched in original) return;
  const watching: typeof fetch = async (input, init) => {
    const recording = recordings.getStore();
    const url = new URL(input instanceof Request ? input.url : input);
    if (!recording || url.origin !== recording.origin || isMadeByTest(init?.headers))
      return original(input, init);
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    return recording.hold(`${method} ${url.pathname}`, () => original(input, init));
  };
  globalThis.fetch = Object.assign(watching, { [watched]: true });
}

/** Whether a test itself makes this call in place of a call of the app. It is not held back. */
function isMadeByTest(headers: HeadersInit | undefined): boolean {
  return new Headers(headers).get("accept")?.includes("msw/passthrough") ?? false;
}

/** The calls of each round, such as `["POST /rest/v1/rpc/my_session", "GET /a, GET /b"]`. */
export function roundsOf(calls: Call[]): string[] {
  const rounds: string[][] = [];
  for (const { name, round } of calls) (rounds[round - 1] ??= []).push(name);
  return rounds.map((names) => names.sort().join(", "));
}
