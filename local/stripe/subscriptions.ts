import type { Stripe } from "stripe";

import type { Account } from "./account";
import { createDiscount } from "./coupons";
import { listWithin } from "./endpoint";
import { idOf, newId } from "./ids";
import type { AppliedDiscount } from "./records";

interface NewSubscription {
  id?: string;
  customer: string;
  paymentMethod: string;
  items: { price: Stripe.Price; quantity: number }[];
  automaticTax?: boolean;
  description?: string | undefined;
  metadata: Record<string, string>;
  discount?: (AppliedDiscount & { session: string }) | undefined;
}

/** A moment some months later, in seconds. The 31st becomes the last day of a shorter month. */
export function addMonths(moment: number, count: number): number {
  const date = new Date(moment * 1000);
  const months = date.getUTCMonth() + count;
  const day = date.getUTCDate();
  date.setUTCMonth(months, 1);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime() / 1000;
}

/**
 * The first end of a period after a moment. Periods are counted from the anchor, so that the 31st
 * returns.
 */
export function nextPeriodEnd(anchor: number, price: Stripe.Price, moment: number): number {
  const months = price.recurring!.interval_count;
  let periods = 1;
  while (addMonths(anchor, periods * months) <= moment) periods += 1;
  return addMonths(anchor, periods * months);
}

/** A subscription whose first payment is still to come. */
export function createSubscription(account: Account, given: NewSubscription): Stripe.Subscription {
  const id = given.id ?? newId("sub");
  const discount =
    given.discount &&
    createDiscount(account, given.discount, {
      customer: given.customer,
      subscription: id,
      session: given.discount.session,
    });
  const items = given.items.map(({ price, quantity }) => createItem(account, id, price, quantity));
  return account.save(
    "subscription",
    {
      id,
      object: "subscription",
      application: null,
      application_fee_percent: null,
      automatic_tax: {
        disabled_reason: null,
        enabled: given.automaticTax ?? false,
        liability: given.automaticTax ? { type: "self" } : null,
      },
      billing_cycle_anchor: account.now,
      billing_cycle_anchor_config: null,
      billing_mode: { flexible: { proration_discounts: "included" }, type: "flexible" },
      billing_schedules: [],
      billing_thresholds: null,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      cancellation_details: NOT_CANCELED,
      collection_method: "charge_automatically",
      created: account.now,
      currency: given.items[0]!.price.currency,
      customer: given.customer,
      customer_account: null,
      days_until_due: null,
      default_payment_method: given.paymentMethod,
      default_source: null,
      default_tax_rates: [],
      description: given.description ?? null,
      discounts: discount ? [discount.id] : [],
      ended_at: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        description: null,
        footer: null,
        issuer: { type: "self" },
      },
      items: listWithin(items, `/v1/subscription_items?subscription=${id}`),
      latest_invoice: null,
      livemode: false,
      managed_payments: null,
      metadata: given.metadata,
      next_pending_invoice_item_invoice: null,
      on_behalf_of: null,
      pause_collection: null,
      payment_settings: {
        payment_method_options: null,
        payment_method_types: null,
        save_default_payment_method: "off",
      },
      pending_invoice_item_interval: null,
      pending_setup_intent: null,
      pending_update: null,
      schedule: null,
      start_date: account.now,
      status: "incomplete",
      test_clock: null,
      transfer_data: null,
      trial_end: null,
      trial_settings: {
        end_behavior: { billing_cycle_anchor: null, missing_payment_method: "create_invoice" },
      },
      trial_start: null,
    },
    "customer.subscription.created",
  );
}

const NOT_CANCELED: Stripe.Subscription.CancellationDetails = {
  comment: null,
  feedback: null,
  feedback_option: null,
  reason: null,
};

function createItem(
  account: Account,
  subscription: string,
  price: Stripe.Price,
  quantity: number,
): Stripe.SubscriptionItem {
  return {
    id: newId("si", 14),
    object: "subscription_item",
    billing_thresholds: null,
    created: account.now,
    current_period_end: nextPeriodEnd(account.now, price, account.now),
    current_period_start: account.now,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: toPlan(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

/** The price in its older form, which the API still returns beside it. */
export function toPlan(price: Stripe.Price): Stripe.Plan {
  return {
    id: price.id,
    object: "plan",
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: "per_unit",
    created: price.created,
    currency: price.currency,
    interval: price.recurring!.interval,
    interval_count: price.recurring!.interval_count,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: idOf(price.product),
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: "licensed",
  };
}

/** The end of the current period, in seconds. A subscription has one item here. */
export function periodEnd(subscription: Stripe.Subscription): number {
  return subscription.items.data[0]!.current_period_end;
}

/** Ends a subscription now. What it owes is not collected by itself anymore. */
export function endSubscription(
  account: Account,
  subscription: Stripe.Subscription,
  reason: Stripe.Subscription.CancellationDetails.Reason,
  comment: string | null = null,
): Stripe.Subscription {
  return account.save(
    "subscription",
    {
      ...subscription,
      canceled_at: subscription.canceled_at ?? account.now,
      cancellation_details: { ...NOT_CANCELED, reason, comment },
      ended_at: account.now,
      status: "canceled",
    },
    "customer.subscription.deleted",
  );
}

/**
 * A subscription whose end is scheduled, in seconds; null removes that. In the portal, `cancel_at`
 * alone shows it: `cancel_at_period_end` stays false, which an app that looks only there does not
 * notice. The API sets both.
 */
export function withCancellation(
  account: Account,
  subscription: Stripe.Subscription,
  cancelAt: number | null,
  { atPeriodEnd = false } = {},
): Stripe.Subscription {
  return {
    ...subscription,
    cancel_at: cancelAt,
    cancel_at_period_end: atPeriodEnd,
    canceled_at: cancelAt === null ? null : account.now,
    cancellation_details:
      cancelAt === null ? NOT_CANCELED : { ...NOT_CANCELED, reason: "cancellation_requested" },
  };
}

/** Schedules the end of a subscription as the portal does, in seconds; null removes it. */
export function scheduleCancellation(
  account: Account,
  subscription: Stripe.Subscription,
  cancelAt: number | null,
): Stripe.Subscription {
  return account.save(
    "subscription",
    withCancellation(account, subscription, cancelAt),
    "customer.subscription.updated",
  );
}
