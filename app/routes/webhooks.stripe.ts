import { unavailable } from "~/http/errors.server";
import { redactSecrets } from "~/http/log.server";
import { signedAction } from "~/http/route.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { PaymentBusy } from "~/modules/billing/payment-errors.server";
import { receiveEvent, verifyEvent } from "~/modules/billing/stripe-events.server";

/** Receives Stripe's events. After any answer but 2xx, Stripe sends the event again, for three days. */
export const action = signedAction(verifyEvent, async (event, { log }) => {
  try {
    await receiveEvent(event, log);
  } catch (error) {
    const failure = classifyStripeError(error);
    if (failure)
      log.warn(
        { event: event.id, failure, reason: redactSecrets(String(error)) },
        "payment provider unavailable",
      );
    throw failure || error instanceof PaymentBusy ? unavailable() : error;
  }
  return new Response(null, { status: 204 });
});
