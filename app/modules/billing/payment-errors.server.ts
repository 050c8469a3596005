import { json, type TypedResponse } from "@remix-run/node";

import { redactSecrets, type Log } from "~/http/log.server";
import { describeSlowService } from "~/http/slow-service.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { currentScope } from "~/integrations/upstream/request-scope.server";

/**
 * A payment is not possible now. The message is a sentence for the user. The order is stored and can
 * be paid later.
 */
export class PaymentUnavailable extends Error {
  override name = "PaymentUnavailable";
}

/**
 * A newsletter date that is not available: full, blocked by the team, past, or taken by another order
 * for the same listing ("duplicate").
 */
interface UnavailableDate {
  /** YYYY-MM-DD */
  date: string;
  outcome: "full" | "blocked" | "past" | "duplicate";
}

/** This can't be paid for. The message is a sentence for the user. Nothing was charged. */
export class PaymentRefused extends Error {
  override name = "PaymentRefused";
  constructor(
    message: string,
    /** The dates of a sponsorship that are not available; empty for any other reason. */
    readonly dates: readonly UnavailableDate[] = [],
    /** Whether the buyer can pay once they have changed the order. */
    readonly canBeChanged = dates.length > 0,
  ) {
    super(message);
  }
}

/** Others change the same order at the same time. A retry helps. */
export class PaymentBusy extends Error {
  override name = "PaymentBusy";
}

/** The Stripe account lacks something that is for sale here, or has it at another price. */
export class CatalogMismatch extends Error {
  override name = "CatalogMismatch";
}

export const NOT_SET_UP =
  "Payments aren’t set up yet, so you can’t pay for this. What you entered is saved.";

/** What a user reads when Stripe does not answer, and when Stripe does not accept our request. */
export interface FailureMessages {
  unavailable: string;
  /** Follows the sentence that says which service was slow. */
  slow: string;
  ourFault: string;
}

export const CHECKOUT_FAILURE: FailureMessages = {
  unavailable:
    "We can’t reach our payment provider right now. You weren’t charged, and your order is saved. Please try again in a few minutes.",
  slow: "You weren’t charged, and your order is saved. Please try again in a few minutes.",
  ourFault:
    "Payments aren’t working right now, and it’s our fault. You weren’t charged, and your order is saved. We’ve made a note of it. Please try again later.",
};

/** What a user reads when Stripe, or what was asked before it, took too long or did not answer. */
function explainOutage({ unavailable, slow }: FailureMessages): string {
  const service = describeSlowService();
  return service ? `${service}. ${slow}` : unavailable;
}

/**
 * The response of a page that shows why something about a payment was not done.
 * @throws the error itself when it is about something else
 */
export function problemResponse(error: unknown): TypedResponse<{ problem: string }> {
  if (error instanceof PaymentRefused) return json({ problem: error.message }, { status: 409 });
  if (error instanceof PaymentUnavailable)
    return json({ problem: error.message }, { status: 503, headers: { "Retry-After": "60" } });
  throw error;
}

/**
 * Turns a failure of Stripe's into a PaymentUnavailable for the user, and logs the failure. Returns any
 * other error as it is.
 */
export function toPaymentError(
  error: unknown,
  log: Log,
  messages: FailureMessages = CHECKOUT_FAILURE,
): unknown {
  if (error instanceof PaymentBusy) return new PaymentUnavailable(explainOutage(messages));
  const failure = error instanceof CatalogMismatch ? "misconfigured" : classifyStripeError(error);
  if (failure === null) return error;
  const shown = failure === "unavailable" ? explainOutage(messages) : messages.ourFault;
  const scope = currentScope();
  if (scope) scope.explained = true;
  const detail = {
    failure,
    call: scope?.failedCall,
    shown,
    reason: redactSecrets(String(error)),
  };
  if (failure === "unavailable") log.warn(detail, "payment provider unavailable");
  else log.error(detail, "refused by the payment provider");
  return new PaymentUnavailable(shown);
}
