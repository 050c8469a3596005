import { unavailable } from "~/http/errors.server";
import { postOnlyLoader, signedAction } from "~/http/route.server";
import { receiveMessage, verifyMessage } from "~/modules/billing/stripe-events.server";

export const loader = postOnlyLoader("It only accepts signed messages from Stripe.");

/** Receives Stripe's events. After any answer but 2xx, Stripe sends the event again, for three days. */
export const action = signedAction(verifyMessage, async (message, { log }) => {
  const outcome = await receiveMessage(message, log);
  if (outcome === "unavailable") throw unavailable();
  return new Response(null, { status: outcome === "done" ? 204 : 500 });
});
