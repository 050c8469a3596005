import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";

/** For one call to Stripe, including its retry. */
const CALL_TIMEOUT_MS = 5_000;
/** For all calls that one of our responses waits for: a user gets it within ten seconds. */
const INTERACTIVE_TIMEOUT_MS = 8_000;
const RETRY_DELAY_MS = 250;

const interactiveDeadline = new AsyncLocalStorage<number>();

/**
 * Runs work that a user waits for. All of its calls to Stripe together get eight seconds; after that,
 * they fail.
 */
export function withInteractiveTimeout<Result>(work: () => Promise<Result>): Promise<Result> {
  return interactiveDeadline.run(Date.now() + INTERACTIVE_TIMEOUT_MS, work);
}

/** Stripe itself did not answer. */
class NoAnswer extends Error {
  override name = "NoAnswer";
}

/**
 * Whether a response comes from Stripe. Stripe's objects name their type, and its errors have a
 * reason. An error page of a gateway, truncated JSON, or JSON of another service has neither, and the
 * SDK would take the last for a success.
 */
function isFromStripe(text: string, ok: boolean): boolean {
  try {
    const body = JSON.parse(text) as { object?: unknown; error?: unknown } | null;
    return ok
      ? typeof body?.object === "string"
      : typeof body?.error === "object" && body.error !== null;
  } catch {
    return false;
  }
}

async function fetchOnce(
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(input, { ...init, signal, redirect: "error" });
  const text = await response.text();
  if (!isFromStripe(text, response.ok))
    throw new NoAnswer(
      `answered ${response.status} with ${response.headers.get("Content-Type") ?? "untyped text"}`,
    );
  return new Response(text, { status: response.status, headers: response.headers });
}

/** Whether Stripe asks for a retry: the request failed there, or the same one is still running. */
function shouldRetry({ status, headers }: Response): boolean {
  const advice = headers.get("Stripe-Should-Retry");
  return advice === null ? status === 409 || status >= 500 : advice === "true";
}

/**
 * `fetch` for all requests to Stripe. It returns Stripe's answers, errors included, and throws for
 * everything else: a refused connection, a timeout, a truncated body, a gateway's page. A request that
 * fails fast is retried once with the same idempotency key, within the same deadline.
 */
export const stripeFetch: typeof fetch = async (input, init = {}) => {
  const timeLeft = (interactiveDeadline.getStore() ?? Infinity) - Date.now();
  if (timeLeft <= 0) throw new NoAnswer("no time is left to ask");
  const timeout = AbortSignal.timeout(Math.min(CALL_TIMEOUT_MS, timeLeft));
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  try {
    const response = await fetchOnce(input, init, signal);
    if (!shouldRetry(response)) return response;
  } catch (error) {
    if (signal.aborted) throw error;
  }
  await pause(RETRY_DELAY_MS, undefined, { signal });
  return fetchOnce(input, init, signal);
};
