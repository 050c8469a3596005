import Stripe from "stripe";

import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";

import { FIRST_MONTH_COUPON, PLANS, PRODUCTS, type CataloguePlan } from "./catalogue";
import { CURRENCY } from "./prices";
import { STRIPE_EVENTS } from "./stripe-event-names";

/** Marks the portal's configuration that is ours. */
export const PORTAL_MARK = "dashboard";

export interface SetUp {
  /** What was done, a sentence a thing. */
  done: string[];
  /** The signing secret of a webhook that was made just now: Stripe tells it this once. */
  webhookSecret: string | null;
}

type Say = (words: string) => void;

/**
 * Makes what the dashboard sells in an account at Stripe, or brings it up to date: products, prices, coupon, the
 * portal and the webhook. Safe to repeat; nothing that people pay already is changed.
 * @param webhookUrl where events are to be sent; null to leave webhooks alone
 * @throws Stripe's failures
 */
export async function setUpStripe(
  stripe: Stripe,
  { webhookUrl }: { webhookUrl: string | null },
): Promise<SetUp> {
  const done: string[] = [];
  const say: Say = (words) => void done.push(words);
  for (const product of Object.values(PRODUCTS)) await setUpProduct(stripe, product, say);
  const prices = new Map<string, string>();
  for (const plan of PLANS) prices.set(plan.id, await setUpPrice(stripe, plan, say));
  await setUpCoupon(stripe, say);
  // Not the reduced plan: it is for those who said that it is theirs, where they are asked.
  await setUpPortal(
    stripe,
    PLANS.filter(({ id }) => id !== "monthly_bipoc").map(({ id }) => prices.get(id)!),
    say,
  );
  const webhookSecret = webhookUrl === null ? null : await setUpWebhook(stripe, webhookUrl, say);
  return { done, webhookSecret };
}

async function setUpProduct(
  stripe: Stripe,
  { id, name }: { id: string; name: string },
  say: Say,
): Promise<void> {
  const known = await nullIfMissing(stripe.products.retrieve(id));
  if (!known) await stripe.products.create({ id, name });
  else if (known.name !== name || !known.active)
    await stripe.products.update(id, { name, active: true });
  say(`Product ${id}: ${known ? "there" : "made"}`);
}

const isOf = (plan: CataloguePlan, price: Stripe.Price) =>
  price.unit_amount === plan.cents &&
  price.currency === CURRENCY &&
  price.product === PRODUCTS.featured.id &&
  price.recurring?.interval === "month" &&
  price.recurring.interval_count === plan.months;

/** Prices can't be changed at Stripe: another amount is another price, which takes the name over. */
async function setUpPrice(stripe: Stripe, plan: CataloguePlan, say: Say): Promise<string> {
  const { data } = await stripe.prices.list({
    lookup_keys: [plan.lookupKey],
    active: true,
    limit: 1,
  });
  const [known] = data;
  if (known && isOf(plan, known)) {
    say(`Price ${plan.lookupKey}: there`);
    return known.id;
  }
  const made = await stripe.prices.create({
    product: PRODUCTS.featured.id,
    lookup_key: plan.lookupKey,
    transfer_lookup_key: true,
    currency: CURRENCY,
    unit_amount: plan.cents,
    recurring: { interval: "month", interval_count: plan.months },
  });
  if (known) await stripe.prices.update(known.id, { active: false });
  say(
    `Price ${plan.lookupKey}: ${known ? "made anew; whoever pays the old one goes on with it" : "made"}`,
  );
  return made.id;
}

async function setUpCoupon(stripe: Stripe, say: Say): Promise<void> {
  const off = PLANS.find(({ firstOff }) => firstOff)!.firstOff!;
  const known = await nullIfMissing(
    stripe.coupons.retrieve(FIRST_MONTH_COUPON, { expand: ["applies_to"] }),
  );
  const right =
    known?.amount_off === off.cents &&
    known.currency === CURRENCY &&
    known.duration === "once" &&
    known.applies_to?.products[0] === PRODUCTS.featured.id;
  if (known && !right) await stripe.coupons.del(FIRST_MONTH_COUPON);
  if (!right) {
    await stripe.coupons.create({
      id: FIRST_MONTH_COUPON,
      name: "First month",
      amount_off: off.cents,
      currency: CURRENCY,
      duration: "once",
      applies_to: { products: [PRODUCTS.featured.id] },
    });
  }
  say(`Coupon ${FIRST_MONTH_COUPON}: ${right ? "there" : known ? "made anew" : "made"}`);
}

async function setUpPortal(stripe: Stripe, prices: string[], say: Say): Promise<void> {
  const settings = {
    metadata: { [PORTAL_MARK]: "true" },
    features: {
      // Not the e-mail address: it is the account's, and changed there.
      customer_update: { enabled: true, allowed_updates: ["name", "address", "tax_id"] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ["price"],
        proration_behavior: "always_invoice",
        products: [{ product: PRODUCTS.featured.id, prices }],
      },
    },
  } satisfies Stripe.BillingPortal.ConfigurationCreateParams;
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 100 });
  const known = data.find(({ metadata }) => metadata?.[PORTAL_MARK] === "true");
  if (known) await stripe.billingPortal.configurations.update(known.id, settings);
  else await stripe.billingPortal.configurations.create(settings);
  say(`Billing portal: ${known ? "brought up to date" : "made"}`);
}

async function setUpWebhook(stripe: Stripe, url: string, say: Say): Promise<string | null> {
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url !== url) continue;
    await stripe.webhookEndpoints.update(endpoint.id, {
      enabled_events: [...STRIPE_EVENTS],
      disabled: false,
    });
    // An endpoint keeps the version it was made with, and events of another one name things otherwise.
    const old = endpoint.api_version !== Stripe.API_VERSION;
    say(
      `Webhook ${url}: brought up to date${old ? `, but it speaks the version ${endpoint.api_version ?? "of the account"}: delete it at Stripe and run this again, for ${Stripe.API_VERSION}` : ""}`,
    );
    return null;
  }
  const made = await stripe.webhookEndpoints.create({
    url,
    enabled_events: [...STRIPE_EVENTS],
    api_version: Stripe.API_VERSION,
    description: "Directory dashboard",
  });
  say(`Webhook ${url}: made`);
  return made.secret ?? null;
}
