import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";

/** One call to Stripe, its second try included. */
const CALL_DEADLINE_MS = 5_000;
/** All the calls that one answer of ours waits for: a person gets it within ten seconds. */
const ANSWER_DEADLINE_MS = 8_000;
const SECOND_TRY_AFTER_MS = 250;

const answerDue = new AsyncLocalStorage<number>();

/** Runs something that a person waits for: whatever it asks Stripe, however often, is given up after eight seconds. */
export function withInteractiveTimeout<Result>(work: () => Promise<Result>): Promise<Result> {
  return answerDue.run(Date.now() + ANSWER_DEADLINE_MS, work);
}

/** What came back was not said by Stripe itself. */
class NoAnswer extends Error {
  override name = "NoAnswer";
}

/**
 * Whether Stripe itself says this. Its answers name what they are, and its refusals say why; a gateway's page, half a
 * sentence or somebody else's JSON does neither, and the SDK would take the last for a success.
 */
function isStripes(text: string, ok: boolean): boolean {
  try {
    const said = JSON.parse(text) as { object?: unknown; error?: unknown } | null;
    return ok
      ? typeof said?.object === "string"
      : typeof said?.error === "object" && said.error !== null;
  } catch {
    return false;
  }
}

async function ask(
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(input, { ...init, signal, redirect: "error" });
  const text = await response.text();
  if (!isStripes(text, response.ok))
    throw new NoAnswer(
      `answered ${response.status} with ${response.headers.get("Content-Type") ?? "untyped text"}`,
    );
  return new Response(text, { status: response.status, headers: response.headers });
}

/** Whether Stripe wants the same request once more: it failed there, or was under way already. */
function wantsAgain({ status, headers }: Response): boolean {
  const said = headers.get("Stripe-Should-Retry");
  return said === null ? status === 409 || status >= 500 : said === "true";
}

/**
 * `fetch` for everything asked of Stripe. It gives what Stripe said, be it a refusal, and throws for everything else:
 * a refused connection, a hang, a cut-off body, a gateway's page. What fails fast is tried once more, under the same
 * idempotency key; all of it within one deadline.
 */
export const stripeFetch: typeof fetch = async (input, init = {}) => {
  const left = (answerDue.getStore() ?? Infinity) - Date.now();
  if (left <= 0) throw new NoAnswer("no time is left to ask");
  const deadline = AbortSignal.timeout(Math.min(CALL_DEADLINE_MS, left));
  const signal = init.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
  try {
    const response = await ask(input, init, signal);
    if (!wantsAgain(response)) return response;
  } catch (error) {
    if (signal.aborted) throw error;
  }
  await pause(SECOND_TRY_AFTER_MS, undefined, { signal });
  return ask(input, init, signal);
};
