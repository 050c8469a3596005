import Stripe from "stripe";

/**
 * Why a call to Stripe failed, in the terms that the app acts on:
 * - `unavailable`: no answer, an unreadable one, or too many requests; a retry may help
 * - `missing`: the object does not exist at Stripe
 * - `refused`: Stripe did not accept the request
 * - `misconfigured`: the key is wrong, or lacks a permission
 */
type StripeFailure = "unavailable" | "missing" | "refused" | "misconfigured";

const {
  StripeError,
  StripeAuthenticationError,
  StripePermissionError,
  StripeInvalidRequestError,
  StripeCardError,
} = Stripe.errors;

/** Classifies an error that a call to Stripe threw. Null when it is not an error of Stripe's SDK. */
export function classifyStripeError(error: unknown): StripeFailure | null {
  if (!(error instanceof StripeError)) return null;
  if (error instanceof StripeAuthenticationError || error instanceof StripePermissionError)
    return "misconfigured";
  if (error.code === "resource_missing") return "missing";
  // The same request is still running. A retry gets its answer.
  if (error.code === "idempotency_key_in_use") return "unavailable";
  if (
    error instanceof StripeInvalidRequestError ||
    error instanceof StripeCardError ||
    error.type === "StripeIdempotencyError"
  ) {
    return "refused";
  }
  return "unavailable";
}

/**
 * Makes a call with an idempotency key, so that it has its effect once however often it is made.
 * Stripe stores its first answer to a key for a day or more, even when that was its own failure. When
 * Stripe only repeats such a failure, the call is made again without a key.
 */
export async function withIdempotencyKey<T>(
  idempotencyKey: string,
  call: (options?: { idempotencyKey: string }) => Promise<T>,
): Promise<T> {
  try {
    return await call({ idempotencyKey });
  } catch (error) {
    const repeated =
      error instanceof StripeError &&
      (error.statusCode ?? 0) >= 500 &&
      error.headers?.["idempotent-replayed"] === "true";
    if (!repeated) throw error;
    return call();
  }
}

/** The result of a call to Stripe, or null when the object does not exist. Other errors are thrown. */
export async function nullIfMissing<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (classifyStripeError(error) === "missing") return null;
    throw error;
  }
}
