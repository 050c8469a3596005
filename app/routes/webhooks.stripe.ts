import { unavailable } from "~/http/errors.server";
import { redactSecrets } from "~/http/log.server";
import { signedAction } from "~/http/route.server";
import { stripeFailure } from "~/integrations/stripe/failure.server";
import { PaymentBusy } from "~/modules/billing/settle.server";
import { receiveEvent, signedEvent } from "~/modules/billing/stripe-events.server";

/** What Stripe tells of payments. Any answer but 2xx makes it send the event again, for three days. */
export const action = signedAction(signedEvent, async (event, { log }) => {
  try {
    await receiveEvent(event, log);
  } catch (error) {
    const failure = stripeFailure(error);
    if (failure)
      log.warn(
        { event: event.id, failure, reason: redactSecrets(String(error)) },
        "payment provider unavailable",
      );
    throw failure || error instanceof PaymentBusy ? unavailable() : error;
  }
  return new Response(null, { status: 204 });
});
