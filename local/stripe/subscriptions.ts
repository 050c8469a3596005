import type { Stripe } from "stripe";

import { type Account, wrongState } from "./account";
import { changePrice } from "./change-price";
import { createDiscount, type DiscountSource } from "./discounts";
import { endpoint, listWithin, pageOf } from "./endpoint";
import { idOf, newId } from "./ids";
import { nextEnd } from "./interval";
import type { Line } from "./invoices";
import {
  type Every,
  flag,
  list,
  mergeMetadata,
  metadata,
  moment,
  notHere,
  object,
  oneOf,
  paging,
  range,
  text,
  unsettable,
  whole,
} from "./parameters";
import { beyondStandIn, noSuch, onlyOneOf, Refusal } from "./refusal";

const cancellationDetails = object({
  comment: unsettable(text()),
  feedback: unsettable(
    oneOf(
      "customer_service",
      "low_quality",
      "missing_features",
      "other",
      "switched_service",
      "too_complex",
      "too_expensive",
      "unused",
    ),
  ),
  ...notHere("feedback_option"),
} satisfies Every<Stripe.SubscriptionUpdateParams.CancellationDetails>);

const toUpdate = {
  cancel_at: unsettable(moment),
  cancel_at_period_end: flag,
  cancellation_details: cancellationDetails,
  default_payment_method: text(),
  description: unsettable(text(500)),
  items: list(
    object({
      id: text(),
      price: text(),
      quantity: whole({ min: 1 }),
      metadata,
      ...notHere(
        "billing_thresholds",
        "clear_usage",
        "current_trial",
        "deleted",
        "discounts",
        "plan",
        "price_data",
        "tax_rates",
      ),
    } satisfies Every<Stripe.SubscriptionUpdateParams.Item>),
    { max: 20 },
  ),
  metadata,
  payment_behavior: oneOf(
    "allow_incomplete",
    "default_incomplete",
    "error_if_incomplete",
    "pending_if_incomplete",
  ),
  proration_behavior: oneOf("always_invoice", "create_prorations", "none"),
  ...notHere(
    "add_invoice_items",
    "application_fee_percent",
    "automatic_tax",
    "billing_cycle_anchor",
    "billing_schedules",
    "billing_thresholds",
    "collection_method",
    "days_until_due",
    "default_source",
    "default_tax_rates",
    "discounts",
    "invoice_settings",
    "off_session",
    "on_behalf_of",
    "pause_collection",
    "payment_settings",
    "pending_invoice_item_interval",
    "proration_date",
    "transfer_data",
    "trial_end",
    "trial_from_plan",
    "trial_settings",
  ),
} satisfies Every<Stripe.SubscriptionUpdateParams>;

const STATUSES = [
  "active",
  "canceled",
  "incomplete",
  "incomplete_expired",
  "past_due",
  "paused",
  "trialing",
  "unpaid",
] as const;
const ENDED = ["canceled", "incomplete_expired"];

const toList = {
  ...paging,
  created: range,
  current_period_end: range,
  current_period_start: range,
  customer: text(),
  price: text(),
  status: oneOf(...STATUSES, "all", "ended"),
  ...notHere("automatic_tax", "collection_method", "customer_account", "plan", "test_clock"),
} satisfies Every<Stripe.SubscriptionListParams>;

const toCancel = {
  cancellation_details: cancellationDetails,
  ...notHere("invoice_now", "prorate"),
} satisfies Every<Stripe.SubscriptionCancelParams>;

interface NewSubscription {
  id?: string;
  customer: string;
  card: string;
  items: { price: Stripe.Price; quantity: number }[];
  metadata: Record<string, string> | null | undefined;
  description?: string | null | undefined;
  discount?: (DiscountSource & { session: string }) | undefined;
}

/** A subscription that waits for its first payment. */
export function createSubscription(account: Account, given: NewSubscription): Stripe.Subscription {
  const id = given.id ?? newId("sub");
  const discount =
    given.discount &&
    createDiscount(account, given.discount, {
      customer: given.customer,
      subscription: id,
      session: given.discount.session,
    });
  const items = given.items.map(({ price, quantity }) => itemOf(account, id, price, quantity));
  return account.save(
    "subscription",
    {
      id,
      object: "subscription",
      application: null,
      application_fee_percent: null,
      automatic_tax: { disabled_reason: null, enabled: false, liability: null },
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
      default_payment_method: given.card,
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
      metadata: mergeMetadata(null, given.metadata),
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

function itemOf(
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
    current_period_end: nextEnd(account.now, price.recurring!, account.now),
    current_period_start: account.now,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

/** The price in its older form, which still stands beside it. */
export function planOf(price: Stripe.Price): Stripe.Plan {
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

/** What one period of each item costs. */
export function periodLines(account: Account, subscription: Stripe.Subscription): Line[] {
  return subscription.items.data.map((item) => {
    const quantity = item.quantity ?? 1;
    return {
      description: `${quantity} × ${nameOf(account, item.price)} (at ${priceInWords(item.price)})`,
      amount: (item.price.unit_amount ?? 0) * quantity,
      quantity,
      price: item.price.id,
      subscriptionItem: item.id,
      period: { start: item.current_period_start, end: item.current_period_end },
      proration: false,
    };
  });
}

export function nameOf(account: Account, price: Stripe.Price): string {
  return account.store.find("product", idOf(price.product))?.name ?? "Product";
}

/** "$49.00 / month", "$216.00 / 6 months"; without an interval for what is bought once. */
export function priceInWords(price: Stripe.Price): string {
  const dollars = `$${((price.unit_amount ?? 0) / 100).toFixed(2)}`;
  if (!price.recurring) return dollars;
  const { interval, interval_count: count } = price.recurring;
  return `${dollars} / ${count === 1 ? interval : `${count} ${interval}s`}`;
}

/** The end of the period that is paid for: that of the first item, since all have the same interval here. */
export function periodEnd(subscription: Stripe.Subscription): number {
  return subscription.items.data[0]!.current_period_end;
}

/** Ends a subscription now. */
export function endSubscription(
  account: Account,
  subscription: Stripe.Subscription,
  reason: Stripe.Subscription.CancellationDetails.Reason,
  details: {
    comment?: string | null | undefined;
    feedback?: Stripe.Subscription.CancellationDetails.Feedback | null | undefined;
  } = {},
): Stripe.Subscription {
  const old = subscription.cancellation_details ?? NOT_CANCELED;
  return account.save(
    "subscription",
    {
      ...subscription,
      canceled_at: subscription.canceled_at ?? account.now,
      cancellation_details: {
        ...old,
        comment: details.comment ?? old.comment,
        feedback: details.feedback ?? old.feedback,
        reason,
      },
      ended_at: account.now,
      status: "canceled",
    },
    "customer.subscription.deleted",
  );
}

/** Decides that a subscription ends at a moment, or with null that it goes on. */
export function cancelLater(
  account: Account,
  subscription: Stripe.Subscription,
  at: number | null,
  { atPeriodEnd = false } = {},
): Stripe.Subscription {
  return account.save(
    "subscription",
    {
      ...subscription,
      cancel_at: at,
      cancel_at_period_end: atPeriodEnd,
      canceled_at: at === null ? null : account.now,
      cancellation_details:
        at === null ? NOT_CANCELED : { ...NOT_CANCELED, reason: "cancellation_requested" },
    },
    "customer.subscription.updated",
  );
}

export const subscriptions = [
  endpoint("GET /v1/subscriptions", toList, ({ account, given }) => {
    const { status } = given;
    const found = account.store
      .all("subscription")
      .filter(
        (one) =>
          (status === "all" ||
            (status === "ended"
              ? ENDED.includes(one.status)
              : status === undefined
                ? one.status !== "canceled"
                : one.status === status)) &&
          (given.customer === undefined || one.customer === given.customer) &&
          (given.price === undefined ||
            one.items.data.some((item) => item.price.id === given.price)) &&
          (given.created?.(one.created) ?? true) &&
          (given.current_period_end?.(periodEnd(one)) ?? true) &&
          (given.current_period_start?.(one.items.data[0]!.current_period_start) ?? true),
      );
    return pageOf(found, "/v1/subscriptions", given);
  }),
  endpoint("GET /v1/subscriptions/:id", {}, ({ account, id }) => account.find("subscription", id)),
  endpoint("POST /v1/subscriptions/:id", toUpdate, ({ account, id, given }) => {
    let subscription = account.find("subscription", id);
    if (ENDED.includes(subscription.status)) {
      const others = Object.entries(given).filter(
        ([name, value]) =>
          value !== undefined && name !== "cancellation_details" && name !== "metadata",
      );
      if (others.length > 0) {
        throw wrongState(
          "A canceled subscription can only update its cancellation_details and metadata.",
          "subscription_canceled",
        );
      }
    }
    if (given.cancel_at !== undefined && given.cancel_at_period_end !== undefined)
      throw onlyOneOf("cancel_at", "cancel_at_period_end");
    if (typeof given.cancel_at === "number" && given.cancel_at <= account.now) {
      throw new Refusal("The cancel_at timestamp must be in the future.", { param: "cancel_at" });
    }
    if (given.default_payment_method !== undefined) {
      const card = account.find(
        "payment_method",
        given.default_payment_method,
        "default_payment_method",
      );
      if (card.customer !== subscription.customer)
        throw noSuch("payment_method", card.id, "default_payment_method");
    }
    const changed: Stripe.Subscription = {
      ...subscription,
      default_payment_method: given.default_payment_method ?? subscription.default_payment_method,
      description: given.description === undefined ? subscription.description : given.description,
      metadata: mergeMetadata(subscription.metadata, given.metadata),
    };
    if (given.cancel_at_period_end !== undefined) {
      const at = given.cancel_at_period_end ? periodEnd(subscription) : null;
      subscription = cancelLater(account, changed, at, { atPeriodEnd: given.cancel_at_period_end });
    } else if (given.cancel_at !== undefined) {
      subscription = cancelLater(account, changed, given.cancel_at);
    } else if (given.items === undefined || given.metadata !== undefined) {
      subscription = account.save("subscription", changed, "customer.subscription.updated");
    }
    if (given.items)
      subscription = changeItems(
        account,
        subscription,
        given.items,
        given.proration_behavior ?? "create_prorations",
      );
    return subscription;
  }),
  endpoint("DELETE /v1/subscriptions/:id", toCancel, ({ account, id, given }) => {
    const subscription = account.find("subscription", id);
    if (ENDED.includes(subscription.status)) throw noSuch("subscription", id);
    return endSubscription(
      account,
      subscription,
      "cancellation_requested",
      given.cancellation_details,
    );
  }),
];

function changeItems(
  account: Account,
  subscription: Stripe.Subscription,
  items: { id?: string | undefined; price?: string | undefined; quantity?: number | undefined }[],
  proration: "always_invoice" | "create_prorations" | "none",
): Stripe.Subscription {
  const [item, ...others] = items;
  if (!item || others.length > 0 || item.id === undefined)
    throw beyondStandIn("subscriptions of several items", "items");
  if (!subscription.items.data.some((one) => one.id === item.id))
    throw noSuch("subscription item", item.id, "items[0][id]");
  if (item.quantity !== undefined && item.quantity !== 1)
    throw beyondStandIn("a quantity other than 1", "items[0][quantity]");
  if (item.price === undefined) return subscription;
  const price = account.find("price", item.price, "items[0][price]");
  if (!price.active)
    throw new Refusal("The price specified is inactive. This field only accepts active prices.", {
      param: "items[0][price]",
    });
  if (!price.recurring) {
    throw new Refusal(
      `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
      { param: "items[0][price]" },
    );
  }
  return changePrice(account, subscription, price, proration);
}
