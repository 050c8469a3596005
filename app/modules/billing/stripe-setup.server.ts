import Stripe from "stripe";

import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";

import { FIRST_MONTH_COUPON, PLANS, PRODUCTS, type CatalogPlan } from "./catalog";
import { CURRENCY } from "./prices";

/** The events that Stripe sends: each says that something about a payment may have changed. */
export const STRIPE_EVENTS = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
  "checkout.session.expired",
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
  "customer.subscription.paused",
  "customer.subscription.resumed",
  "invoice.paid",
  "invoice.payment_failed",
  "charge.refunded",
  "refund.created",
  "refund.updated",
  "refund.failed",
  "charge.dispute.created",
  "charge.dispute.updated",
  "charge.dispute.closed",
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/** The metadata key of our portal configurations. */
const PORTAL_MARK = "dashboard";

/** What the billing portal lets a customer do: everything, or everything but change a plan. */
export type PortalKind = "full" | "without plan changes";
const PORTAL_MARKS: Readonly<Record<PortalKind, string>> = {
  full: "true",
  "without plan changes": "without-changes",
};

interface SetupResult {
  /** What was done, one sentence for each object. */
  done: string[];
  /** The signing secret of a new webhook. Stripe shows it only once. */
  webhookSecret: string | null;
}

type Report = (sentence: string) => void;

/**
 * Creates or updates in a Stripe account what the dashboard needs: products, prices, the coupon, the
 * portal, and the webhook. Safe to repeat. Existing subscriptions keep their price.
 * @param webhookUrl where Stripe sends events; null to leave webhooks alone
 * @throws Stripe's errors
 */
export async function setUpStripe(
  stripe: Stripe,
  { webhookUrl }: { webhookUrl: string | null },
): Promise<SetupResult> {
  const done: string[] = [];
  const report: Report = (sentence) => void done.push(sentence);
  for (const product of Object.values(PRODUCTS)) await setUpProduct(stripe, product, report);
  const prices = new Map<string, string>();
  for (const plan of PLANS) prices.set(plan.id, await setUpPrice(stripe, plan, report));
  await setUpCoupon(stripe, report);
  // Without the reduced plan, which only people who say on our form that it is for them may choose.
  const offered = PLANS.filter(({ id }) => id !== "monthly_bipoc").map(({ id }) => prices.get(id)!);
  for (const kind of ["full", "without plan changes"] as const)
    await setUpPortal(stripe, kind, offered, report);
  const webhookSecret = webhookUrl === null ? null : await setUpWebhook(stripe, webhookUrl, report);
  return { done, webhookSecret };
}

async function setUpProduct(
  stripe: Stripe,
  { id, name }: { id: string; name: string },
  report: Report,
): Promise<void> {
  const known = await nullIfMissing(stripe.products.retrieve(id));
  if (!known) await stripe.products.create({ id, name });
  else if (known.name !== name || !known.active)
    await stripe.products.update(id, { name, active: true });
  report(`Product ${id}: ${known ? "unchanged" : "created"}`);
}

const matchesPlan = (plan: CatalogPlan, price: Stripe.Price) =>
  price.unit_amount === plan.cents &&
  price.currency === CURRENCY &&
  price.product === PRODUCTS.featured.id &&
  price.recurring?.interval === "month" &&
  price.recurring.interval_count === plan.months;

/** The price of a plan at Stripe, and whether it is the plan's; null when there is none. */
export async function findPlanPrice(
  stripe: Stripe,
  plan: CatalogPlan,
): Promise<{ price: Stripe.Price; isCurrent: boolean } | null> {
  const { data } = await stripe.prices.list({
    lookup_keys: [plan.lookupKey],
    active: true,
    limit: 1,
  });
  const [price] = data;
  return price ? { price, isCurrent: matchesPlan(plan, price) } : null;
}

/** Prices can't be changed at Stripe: a new amount is a new price, which gets the lookup key. */
async function setUpPrice(stripe: Stripe, plan: CatalogPlan, report: Report): Promise<string> {
  const found = await findPlanPrice(stripe, plan);
  const known = found?.price;
  if (known && found.isCurrent) {
    report(`Price ${plan.lookupKey}: unchanged`);
    return known.id;
  }
  const created = await stripe.prices.create({
    product: PRODUCTS.featured.id,
    lookup_key: plan.lookupKey,
    transfer_lookup_key: true,
    currency: CURRENCY,
    unit_amount: plan.cents,
    recurring: { interval: "month", interval_count: plan.months },
  });
  if (known) await stripe.prices.update(known.id, { active: false });
  report(
    `Price ${plan.lookupKey}: ${known ? "replaced; current subscribers keep the old one" : "created"}`,
  );
  return created.id;
}

const firstOff = () => PLANS.find((plan) => plan.firstOff)!.firstOff!;

/** The coupon of the first month at Stripe, and whether it is ours; null when there is none. */
export async function findFirstMonthCoupon(
  stripe: Stripe,
): Promise<{ coupon: Stripe.Coupon; isCurrent: boolean } | null> {
  const coupon = await nullIfMissing(
    stripe.coupons.retrieve(FIRST_MONTH_COUPON, { expand: ["applies_to"] }),
  );
  return (
    coupon && {
      coupon,
      isCurrent:
        coupon.amount_off === firstOff().cents &&
        coupon.currency === CURRENCY &&
        coupon.duration === "once" &&
        coupon.applies_to?.products[0] === PRODUCTS.featured.id,
    }
  );
}

async function setUpCoupon(stripe: Stripe, report: Report): Promise<void> {
  const off = firstOff();
  const found = await findFirstMonthCoupon(stripe);
  const known = found?.coupon;
  const isCurrent = found?.isCurrent ?? false;
  if (known && !isCurrent) await stripe.coupons.del(FIRST_MONTH_COUPON);
  if (!isCurrent) {
    await stripe.coupons.create({
      id: FIRST_MONTH_COUPON,
      name: "First month",
      amount_off: off.cents,
      currency: CURRENCY,
      duration: "once",
      applies_to: { products: [PRODUCTS.featured.id] },
    });
  }
  report(
    `Coupon ${FIRST_MONTH_COUPON}: ${isCurrent ? "unchanged" : known ? "replaced" : "created"}`,
  );
}

/** A portal configuration of ours at Stripe; undefined when there is none. */
export async function findPortal(
  stripe: Stripe,
  kind: PortalKind,
): Promise<Stripe.BillingPortal.Configuration | undefined> {
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 100 });
  return data.find(({ metadata }) => metadata?.[PORTAL_MARK] === PORTAL_MARKS[kind]);
}

async function setUpPortal(
  stripe: Stripe,
  kind: PortalKind,
  prices: string[],
  report: Report,
): Promise<void> {
  const settings = {
    metadata: { [PORTAL_MARK]: PORTAL_MARKS[kind] },
    features: {
      // Without the email address: it is the account's, and is changed on our site.
      customer_update: { enabled: true, allowed_updates: ["name", "address", "tax_id"] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      // Left out, it is off.
      ...(kind === "full"
        ? {
            subscription_update: {
              enabled: true,
              default_allowed_updates: ["price"],
              proration_behavior: "always_invoice",
              products: [{ product: PRODUCTS.featured.id, prices }],
            },
          }
        : {}),
    },
  } satisfies Stripe.BillingPortal.ConfigurationCreateParams;
  const known = await findPortal(stripe, kind);
  if (known) await stripe.billingPortal.configurations.update(known.id, settings);
  else await stripe.billingPortal.configurations.create(settings);
  report(`Billing portal, ${kind}: ${known ? "updated" : "created"}`);
}

async function setUpWebhook(stripe: Stripe, url: string, report: Report): Promise<string | null> {
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url !== url) continue;
    await stripe.webhookEndpoints.update(endpoint.id, {
      enabled_events: [...STRIPE_EVENTS],
      disabled: false,
    });
    // An endpoint keeps its API version, and events of another version have other fields.
    const isOutdated = endpoint.api_version !== Stripe.API_VERSION;
    report(
      `Webhook ${url}: updated${isOutdated ? `, but it uses API version ${endpoint.api_version ?? "of the account"}. Delete it at Stripe and run this again to use ${Stripe.API_VERSION}` : ""}`,
    );
    return null;
  }
  const created = await stripe.webhookEndpoints.create({
    url,
    enabled_events: [...STRIPE_EVENTS],
    api_version: Stripe.API_VERSION,
    description: "Directory dashboard",
  });
  report(`Webhook ${url}: created`);
  return created.secret ?? null;
}
