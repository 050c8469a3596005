import { setTimeout as pause } from "node:timers/promises";

import { callUpstream } from "~/integrations/upstream/call-upstream.server";

import { nameStripeCall } from "./stripe-call-name";

/** For one call to Stripe, including its retry. */
const CALL_TIMEOUT_MS = 5_000;
const RETRY_DELAY_MS = 250;

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
  attempt: { signal: AbortSignal; status: number },
): Promise<Response> {
  attempt.status = 0;
  const response = await fetch(input, { ...init, signal: attempt.signal, redirect: "error" });
  const text = await response.text();
  const understood = isFromStripe(text, response.ok);
  if (understood || !response.ok) attempt.status = response.status;
  if (!understood)
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
 * fails fast is retried once with the same idempotency key, within the same time.
 */
export const stripeFetch: typeof fetch = async (input, init = {}) => {
  const url = input instanceof Request ? input.url : String(input);
  return callUpstream(
    {
      service: "stripe",
      name: nameStripeCall(init.method ?? "GET", url),
      limitMs: CALL_TIMEOUT_MS,
      signal: init.signal,
    },
    async (attempt) => {
      try {
        const response = await fetchOnce(input, init, attempt);
        if (!shouldRetry(response)) return response;
      } catch (error) {
        if (attempt.signal.aborted) throw error;
      }
      await pause(RETRY_DELAY_MS, undefined, { signal: attempt.signal });
      return fetchOnce(input, init, attempt);
    },
  );
};
