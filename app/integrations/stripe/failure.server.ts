import Stripe from "stripe";

/**
 * What can come of asking Stripe, in the words the app decides by:
 * - `unavailable`: no answer, or none that can be read, or too many questions; asking again may help
 * - `missing`: what was asked about does not exist there
 * - `refused`: Stripe did not take the request as it was
 * - `misconfigured`: the key is wrong, or may not do this
 */
export type StripeFailure = "unavailable" | "missing" | "refused" | "misconfigured";

const {
  StripeError,
  StripeAuthenticationError,
  StripePermissionError,
  StripeInvalidRequestError,
  StripeCardError,
} = Stripe.errors;

/** The kind of a failure that a call to Stripe threw, or null when it is not one of Stripe's. */
export function stripeFailure(error: unknown): StripeFailure | null {
  if (!(error instanceof StripeError)) return null;
  if (error instanceof StripeAuthenticationError || error instanceof StripePermissionError)
    return "misconfigured";
  if (error.code === "resource_missing") return "missing";
  // The same request is still under way: its answer comes when it is asked again.
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
 * Makes a call under an idempotency key, so that it is done once however often it is made. Stripe keeps what it first
 * answered to a key for a day or more, a failure of its own included: when it only repeats that, the call is made afresh.
 */
export async function underKey<T>(
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

/** What a call to Stripe gives, or null when Stripe knows of no such thing. */
export async function found<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (stripeFailure(error) === "missing") return null;
    throw error;
  }
}
