import type Stripe from "stripe";

import { env } from "~/env.server";
import type { Log } from "~/http/log.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { parseUuid } from "~/text/uuid";

import type { PaymentReference } from "./payment-records.server";
import { recordPayment } from "./record-payment.server";
import { getStripeId } from "./stripe-fields";
import type { STRIPE_EVENTS } from "./stripe-setup.server";

/**
 * Verifies the signature of an event, and that it is recent.
 * @param body exactly as it arrived: the signature is over its bytes
 * @returns null when the signature is not valid
 */
export function verifyEvent(body: string, headers: Headers): Stripe.Event | null {
  const signature = headers.get("Stripe-Signature");
  if (!isStripeConfigured() || !signature) return null;
  try {
    return stripe().webhooks.constructEvent(body, signature, env().stripe!.webhookSecret);
  } catch {
    return null;
  }
}

/**
 * The payment that an event is about. Nothing else in the event is used: it may be old, or arrive late.
 */
function getPaymentReference(event: Stripe.Event): PaymentReference | null {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired": {
      const { id, client_reference_id: order } = event.data.object;
      return { sessionId: id, orderId: parseUuid(order) };
    }
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
    case "customer.subscription.paused":
    case "customer.subscription.resumed": {
      const { id, metadata } = event.data.object;
      return { subscriptionId: id, orderId: parseUuid(metadata["order"]) };
    }
    case "invoice.paid":
    case "invoice.payment_failed": {
      const { subscription_details: details } = event.data.object.parent ?? {};
      const id = getStripeId(details?.subscription);
      return id === null
        ? null
        : { subscriptionId: id, orderId: parseUuid(details?.metadata?.["order"]) };
    }
    case "charge.refunded":
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed": {
      const { payment_intent: intent, metadata } = event.data.object;
      const id = getStripeId(intent);
      return id === null ? null : { paymentIntentId: id, orderId: parseUuid(metadata?.["order"]) };
    }
    default:
      // The type checker names an event that Stripe is asked for and that has no case.
      event.type satisfies Exclude<Stripe.Event["type"], (typeof STRIPE_EVENTS)[number]>;
      return null;
  }
}

/**
 * Records what an event is about. It has its effect once, however often it arrives.
 * @throws PaymentBusy, DataError, Stripe's errors: then Stripe should send the event again
 */
export async function receiveEvent(event: Stripe.Event, log: Log): Promise<void> {
  const payment = getPaymentReference(event);
  if (!payment) return log.debug({ event: event.id, type: event.type }, "event of no interest");
  const object = (event.data.object as { id?: string }).id ?? null;
  const isOurs = await recordPayment(payment, {
    event: { id: event.id, type: event.type, object, created: event.created },
    log,
  });
  if (!isOurs) log.info({ event: event.id, type: event.type }, "event of no payment of ours");
}
