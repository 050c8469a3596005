import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError, resourceMissing } from "./api-error";
import { billFirstPeriod } from "./billing";
import { createdRange, endpoint, isCreatedWithin, matches, pageOf, paging } from "./endpoint";
import { idOf } from "./ids";
import { changeMetadata, metadata, newMetadata } from "./metadata";
import {
  boolean,
  emptyable,
  integer,
  type Known,
  list,
  object,
  oneOf,
  type Parsed,
  required,
  text,
} from "./parameters";
import { cardError, namedPaymentMethod } from "./payment-method-requests";
import { authorizeCharge } from "./payment-methods";
import { createSubscription, endSubscription, periodEnd, withCancellation } from "./subscriptions";

const description = text(500);

const subscriptionParams = {
  customer: required(text()),
  default_payment_method: required(text()),
  description,
  items: required(
    list(
      object({
        price: required(text()),
        quantity: integer({ min: 1 }),
      } satisfies Known<Stripe.SubscriptionCreateParams.Item>),
      { max: 1 },
    ),
  ),
  metadata,
} satisfies Known<Stripe.SubscriptionCreateParams>;

const subscriptionChanges = {
  cancel_at: emptyable(integer()),
  cancel_at_period_end: boolean,
  cancellation_details: object({
    comment: text(),
  } satisfies Known<Stripe.SubscriptionUpdateParams.CancellationDetails>),
  description: emptyable(description),
  metadata,
} satisfies Known<Stripe.SubscriptionUpdateParams>;

const subscriptionEnd = {
  cancellation_details: object({
    comment: text(),
  } satisfies Known<Stripe.SubscriptionCancelParams.CancellationDetails>),
} satisfies Known<Stripe.SubscriptionCancelParams>;

const subscriptionFilter = {
  ...paging,
  created: createdRange,
  customer: text(),
  price: text(),
  status: oneOf(
    "active",
    "all",
    "canceled",
    "ended",
    "incomplete",
    "incomplete_expired",
    "past_due",
    "paused",
    "trialing",
    "unpaid",
  ),
} satisfies Known<Stripe.SubscriptionListParams>;

const ENDED = ["canceled", "incomplete_expired"];

/** Starts a subscription whose first payment a card makes at once. */
function startSubscription(
  account: Account,
  params: Parsed<typeof subscriptionParams>,
): Stripe.Subscription {
  const customer = account.customer(params.customer, "customer");
  const card = namedPaymentMethod(account, params.default_payment_method, "default_payment_method");
  if (idOf(card.customer) !== customer.id) {
    throw new ApiError(
      "The customer does not have a payment method with the ID " +
        `${card.id}. The payment method must be attached to the customer.`,
      { code: "resource_missing", param: "default_payment_method" },
    );
  }
  const bank = authorizeCharge(card, "off_session");
  if (typeof bank === "object") throw cardError(bank);
  const subscription = createSubscription(account, {
    customer: customer.id,
    paymentMethod: card.id,
    items: params.items.map(({ price, quantity = 1 }, index) => ({
      price: account.get("price", price, `items[${index}][price]`),
      quantity,
    })),
    description: params.description,
    metadata: newMetadata(params.metadata),
  });
  return billFirstPeriod(account, subscription).subscription;
}

/**
 * A date of its own, such as one that the portal sets, stays when only the end of the period is
 * removed.
 */
function schedule(
  account: Account,
  old: Stripe.Subscription,
  cancels: boolean | undefined,
  date: number | null,
): Stripe.Subscription {
  if (cancels === undefined) return withCancellation(account, old, date);
  if (!cancels && !old.cancel_at_period_end) return old;
  return withCancellation(account, old, cancels ? periodEnd(old) : null, { atPeriodEnd: cancels });
}

function changeSubscription(
  account: Account,
  old: Stripe.Subscription,
  params: Parsed<typeof subscriptionChanges>,
): Stripe.Subscription {
  const { cancel_at_period_end: cancels, cancel_at: date, description: about } = params;
  const comment = params.cancellation_details?.comment;
  const isScheduled = cancels !== undefined || date !== undefined;
  if (ENDED.includes(old.status) && (isScheduled || about !== undefined)) {
    throw new ApiError(
      "A canceled subscription can only update its cancellation_details and metadata.",
    );
  }
  if (cancels !== undefined && date !== undefined) {
    throw new ApiError(
      "Received both cancel_at_period_end and cancel_at parameters. Please pass in only one.",
    );
  }
  if (isScheduled && old.schedule !== null) {
    throw new ApiError(
      `The subscription is managed by the subscription schedule \`${idOf(old.schedule)}\`, and updating any ` +
        "cancelation behavior directly is not allowed. Please update the schedule instead.",
    );
  }
  const scheduled = isScheduled ? schedule(account, old, cancels, date ?? null) : old;
  return account.save(
    "subscription",
    {
      ...scheduled,
      cancellation_details:
        comment === undefined
          ? scheduled.cancellation_details
          : { ...scheduled.cancellation_details!, comment },
      description: about === undefined ? old.description : about,
      metadata: changeMetadata(old.metadata, params.metadata),
    },
    "customer.subscription.updated",
  );
}

/** Of schedules, the stand-in has only their ids: a test gives one to a subscription, as the team does in Stripe's dashboard. */
function releaseSchedule(account: Account, id: string): object {
  const managed = account.store.all("subscription").find(({ schedule }) => schedule === id);
  if (!managed) throw resourceMissing("subscription_schedule", id);
  account.save("subscription", { ...managed, schedule: null }, "customer.subscription.updated");
  return {
    id,
    object: "subscription_schedule",
    released_subscription: managed.id,
    status: "released",
    subscription: null,
  };
}

export const subscriptionEndpoints = [
  endpoint("POST /v1/subscription_schedules/:id/release", {}, ({ account, id }) =>
    releaseSchedule(account, id),
  ),
  endpoint("POST /v1/subscriptions", subscriptionParams, ({ account, params }) =>
    startSubscription(account, params),
  ),
  endpoint("GET /v1/subscriptions", subscriptionFilter, ({ account, params }) => {
    const { created, customer, price, status } = params;
    if (customer !== undefined) account.get("customer", customer, "customer");
    const hasStatus = (one: Stripe.Subscription): boolean => {
      if (status === undefined) return one.status !== "canceled";
      if (status === "ended") return ENDED.includes(one.status);
      return status === "all" || one.status === status;
    };
    const found = account.store
      .all("subscription")
      .filter(
        (one) =>
          hasStatus(one) &&
          isCreatedWithin(one, created) &&
          matches(one, { customer }) &&
          (price === undefined || one.items.data.some((item) => item.price.id === price)),
      );
    return pageOf(found, "/v1/subscriptions", params);
  }),
  endpoint("GET /v1/subscriptions/:id", {}, ({ account, id }) => account.get("subscription", id)),
  endpoint("POST /v1/subscriptions/:id", subscriptionChanges, ({ account, id, params }) =>
    changeSubscription(account, account.get("subscription", id), params),
  ),
  endpoint("DELETE /v1/subscriptions/:id", subscriptionEnd, ({ account, id, params }) => {
    const subscription = account.get("subscription", id);
    if (subscription.status === "canceled") throw resourceMissing("subscription", id);
    const comment = params.cancellation_details?.comment ?? null;
    return endSubscription(account, subscription, "cancellation_requested", comment);
  }),
];
