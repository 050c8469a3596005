import type Stripe from "stripe";

import type { Log } from "~/http/log.server";
import { env } from "~/env.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";

import { settle, type PaymentName } from "./settle.server";
import { idOf } from "./stripe-facts.server";

/**
 * An event that Stripe signed with our secret not long ago, or null.
 * @param body exactly as it came: the signature is over its bytes
 */
export function signedEvent(body: string, headers: Headers): Stripe.Event | null {
  const signature = headers.get("Stripe-Signature");
  if (!isStripeConfigured() || !signature) return null;
  try {
    return stripe().webhooks.constructEvent(body, signature, env().stripe!.webhookSecret);
  } catch {
    return null;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The id of an order in what Stripe was told of it, or null. */
export const orderIn = (text: unknown) =>
  typeof text === "string" && UUID.test(text) ? text : null;

/** Which payment an event is about. Nothing else of it is believed: it may be old, or come late. */
function paymentNamed(event: Stripe.Event): PaymentName | null {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired": {
      const { id, client_reference_id: order } = event.data.object;
      return { sessionId: id, orderId: orderIn(order) };
    }
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
    case "customer.subscription.paused":
    case "customer.subscription.resumed": {
      const { id, metadata } = event.data.object;
      return { subscriptionId: id, orderId: orderIn(metadata["order"]) };
    }
    case "invoice.paid":
    case "invoice.payment_failed": {
      const { subscription_details: details } = event.data.object.parent ?? {};
      const id = idOf(details?.subscription);
      return id === null
        ? null
        : { subscriptionId: id, orderId: orderIn(details?.metadata?.["order"]) };
    }
    case "charge.refunded":
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed": {
      const { payment_intent: intent, metadata } = event.data.object;
      const id = idOf(intent);
      return id === null ? null : { paymentIntentId: id, orderId: orderIn(metadata?.["order"]) };
    }
    default:
      return null;
  }
}

/**
 * Does what follows from an event. Once, however often it comes.
 * @throws DataError, Stripe's failures: then it is to be sent again
 */
export async function receiveEvent(event: Stripe.Event, log: Log): Promise<void> {
  const name = paymentNamed(event);
  if (!name) return log.debug({ event: event.id, type: event.type }, "event of no interest");
  const object = (event.data.object as { id?: string }).id ?? null;
  const settled = await settle(name, {
    event: { id: event.id, type: event.type, object, created: event.created },
    log,
  });
  if (!settled) log.info({ event: event.id, type: event.type }, "event of no payment of ours");
}
