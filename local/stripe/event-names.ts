import type { Stripe } from "stripe";

type EventName = Stripe.WebhookEndpointCreateParams.EnabledEvent;

/** The events that an endpoint may ask for, of the parts of Stripe that are played here: all, or by object. */
const NAMES: Record<string, readonly string[]> = {
  "billing_portal.configuration": ["created", "updated"],
  "billing_portal.session": ["created"],
  charge: ["captured", "expired", "failed", "pending", "refunded", "succeeded", "updated"],
  "charge.dispute": ["closed", "created", "funds_reinstated", "funds_withdrawn", "updated"],
  "charge.refund": ["updated"],
  "checkout.session": ["async_payment_failed", "async_payment_succeeded", "completed", "expired"],
  coupon: ["created", "deleted", "updated"],
  customer: ["created", "deleted", "updated"],
  "customer.discount": ["created", "deleted", "updated"],
  "customer.subscription": [
    "created",
    "deleted",
    "paused",
    "pending_update_applied",
    "pending_update_expired",
    "resumed",
    "trial_will_end",
    "updated",
  ],
  invoice: [
    "created",
    "deleted",
    "finalization_failed",
    "finalized",
    "marked_uncollectible",
    "overdue",
    "overpaid",
    "paid",
    "payment_action_required",
    "payment_failed",
    "payment_succeeded",
    "sent",
    "upcoming",
    "updated",
    "voided",
    "will_be_due",
  ],
  invoice_payment: ["paid"],
  payment_intent: [
    "amount_capturable_updated",
    "canceled",
    "created",
    "partially_funded",
    "payment_failed",
    "processing",
    "requires_action",
    "succeeded",
  ],
  payment_method: ["attached", "automatically_updated", "detached", "updated"],
  price: ["created", "deleted", "updated"],
  product: ["created", "deleted", "updated"],
  promotion_code: ["created", "updated"],
  refund: ["created", "failed", "updated"],
};

/** Whether an endpoint may ask for this. */
export function isEventName(name: string): name is EventName {
  if (name === "*") return true;
  const cut = name.lastIndexOf(".");
  return NAMES[name.slice(0, cut)]?.includes(name.slice(cut + 1)) ?? false;
}
