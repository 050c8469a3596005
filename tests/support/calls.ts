/**
 * Which calls to Supabase a piece of work makes, and how many of them wait for one another: that
 * number times the distance to the database is how long a person waits for a page.
 *
 * Timing alone would not tell "after" from "because of". So answers are held back until everything
 * under way has its answer and nothing new is being asked, and then given out together: one round.
 * A call is in the second round only if it could not have been made before an answer of the first.
 */
import { AsyncLocalStorage } from "node:async_hooks";

export interface Call {
  /** Such as `GET /rest/v1/places`. */
  name: string;
  /** 1 for what is asked at once, 2 for what had to wait for an answer, and so on. */
  round: number;
}

/** How long nothing new has to be asked for a round to be over. */
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
      if (this.#unanswered === 0) this.#timer = setTimeout(() => this.#giveOut(), SETTLED_MS);
      await turn;
    }
  }

  #giveOut() {
    this.#round += 1;
    for (const release of this.#held.splice(0)) release();
  }
}

const recordings = new AsyncLocalStorage<Recording>();
const watched = Symbol.for("tests.calls.watched");

/** Gives the result of the work and the calls that it made to this origin, in order. */
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
    if (!recording || url.origin !== recording.origin || isOfTheTest(init?.headers))
      return original(input, init);
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    return recording.hold(`${method} ${url.pathname}`, () => original(input, init));
  };
  globalThis.fetch = Object.assign(watching, { [watched]: true });
}

/** A call that a test itself lets through, in place of one of the app's: that one waits for it, and it for nothing. */
function isOfTheTest(headers: HeadersInit | undefined): boolean {
  return new Headers(headers).get("accept")?.includes("msw/passthrough") ?? false;
}

/** The calls of each round, such as `["POST /rest/v1/rpc/my_session", "GET /a, GET /b"]`. */
export function roundsOf(calls: Call[]): string[] {
  const rounds: string[][] = [];
  for (const { name, round } of calls) (rounds[round - 1] ??= []).push(name);
  return rounds.map((names) => names.sort().join(", "));
}
