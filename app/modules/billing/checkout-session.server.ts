import type Stripe from "stripe";

import { env } from "~/env.server";
import { stripe } from "~/integrations/stripe/client.server";

import { PRODUCTS, SPONSORSHIP_NAME, type CatalogPlan } from "./catalog";
import { CatalogMismatch } from "./payment-errors.server";
import { CURRENCY } from "./prices";
import type { Buyer } from "./stripe-customer.server";

/** An order that a checkout session is created for. */
interface CheckoutOrder {
  id: string;
  /** Counts the checkout sessions of the order. */
  attempt: number;
  unit_price_cents: number;
  quantity: number;
  /** The discount at Stripe; null for none. */
  coupon: string | null;
  /** When the session of this attempt expires, in seconds. */
  expires_at: number;
}

interface CheckoutSession {
  order: CheckoutOrder;
  buyer: Pick<Buyer, "id" | "discreet">;
  customer: string;
  /** Whether an invoice is made of a one-time purchase; subscriptions always have them. */
  wantsInvoices: boolean;
  item:
    | { kind: "job"; jobId: number }
    | { kind: "sponsorship"; sponsorshipId: number }
    | { kind: "upgrade"; placeId: number; plan: CatalogPlan };
}

type Params = Stripe.Checkout.SessionCreateParams;

/**
 * In discreet mode a card statement shows this after the account's shortened descriptor, in place of
 * the long one. Both together may have 22 characters, and the shortened one up to ten.
 */
const DISCREET_SUFFIX = "ORDER";

/** What Stripe needs to calculate tax: the address on the checkout page, and a business's tax id and name. */
const TAX_DETAILS = {
  tax_id_collection: { enabled: true },
  customer_update: { name: "auto", address: "auto" },
} as const satisfies Params;

/**
 * The ways to pay for newsletter dates: those whose money arrives at once. "card" includes Apple Pay and
 * Google Pay. A debit takes days, and may arrive after the newsletter has gone out.
 */
const IMMEDIATE_METHODS: Params["allowed_payment_method_types"] = ["card", "link"];

/** The metadata key of a session of a buyer in discreet mode: it doesn't say what is on the card statement. */
const DISCREET_MARK = "discreet";

/** Stripe replaces this with the id of the session. */
const SESSION_PLACEHOLDER = "{CHECKOUT_SESSION_ID}";

/**
 * The parameters of a checkout session. The price is the order's, or a price of the catalog that is
 * compared with it. Stripe gets nothing but ids about what is bought. The same attempt always gets the
 * same parameters.
 * @throws CatalogMismatch, Stripe's errors
 */
export async function buildSessionParams({
  order,
  buyer,
  customer,
  wantsInvoices,
  item,
}: CheckoutSession): Promise<Params> {
  const { appUrl, taxIsAdded } = env();
  const { coupon } = order;
  // Stripe takes no suffix for a subscription.
  const statement = buyer.discreet ? { statement_descriptor_suffix: DISCREET_SUFFIX } : {};
  const marks: Record<string, string> = buyer.discreet ? { [DISCREET_MARK]: "true" } : {};
  const common = {
    customer,
    client_reference_id: order.id,
    expires_at: order.expires_at,
    // Prices are in US dollars, and what was paid is compared with the order in US dollars.
    adaptive_pricing: { enabled: false },
    // Stated even when off: otherwise the account's default would count.
    automatic_tax: { enabled: taxIsAdded },
    ...(taxIsAdded ? TAX_DETAILS : {}),
    // Stripe takes either a discount or promotion codes.
    ...(coupon ? { discounts: [{ coupon }] } : { allow_promotion_codes: true }),
  } satisfies Params;
  const invoice = wantsInvoices ? { invoice_creation: { enabled: true } } : {};
  const amount = { currency: CURRENCY, unit_amount: order.unit_price_cents };

  if (item.kind === "job") {
    const metadata = { order: order.id, job: String(item.jobId), owner: buyer.id };
    return {
      ...common,
      mode: "payment",
      ...invoice,
      line_items: [{ quantity: 1, price_data: { ...amount, product: PRODUCTS.job.id } }],
      metadata: { ...metadata, ...marks },
      payment_intent_data: { metadata, ...statement },
      success_url: `${appUrl}/jobs?paid=${SESSION_PLACEHOLDER}`,
      cancel_url: `${appUrl}/jobs?cancelled=${order.id}`,
    };
  }
  if (item.kind === "sponsorship") {
    const metadata = {
      order: order.id,
      sponsorship_id: String(item.sponsorshipId),
      owner: buyer.id,
    };
    return {
      ...common,
      mode: "payment",
      allowed_payment_method_types: IMMEDIATE_METHODS,
      ...invoice,
      line_items: [
        {
          quantity: order.quantity,
          price_data: { ...amount, product_data: { name: SPONSORSHIP_NAME } },
        },
      ],
      metadata: { ...metadata, ...marks },
      payment_intent_data: { metadata, ...statement },
      success_url: `${appUrl}/sponsor?paid=${SESSION_PLACEHOLDER}`,
      cancel_url: `${appUrl}/sponsor?cancelled=${order.id}`,
    };
  }
  const metadata = { order: order.id, place_id: String(item.placeId), user: buyer.id };
  const discountCents = coupon === null ? 0 : (item.plan.firstOff?.cents ?? 0);
  const firstBill = (item.plan.cents - discountCents) / 100;
  return {
    ...common,
    mode: "subscription",
    line_items: [{ quantity: 1, price: await findPrice(item.plan) }],
    metadata,
    // The portal shows it, so that an owner of several can tell them apart.
    subscription_data: { metadata, description: `${PRODUCTS.featured.name} ${item.placeId}` },
    success_url: `${appUrl}/upgrade?success=true&value=${firstBill}&session_id=${SESSION_PLACEHOLDER}`,
    cancel_url: `${appUrl}/upgrade?place=${item.placeId}&cancelled=${order.id}`,
  };
}

/**
 * Whether a session was made with its buyer's present choices (discreet mode and invoices): both
 * are fixed when it is made. A session for a subscription has neither choice.
 */
export const hasChoices = (
  { mode, metadata, invoice_creation }: Stripe.Checkout.Session,
  { discreet, wantsInvoices }: { discreet: boolean; wantsInvoices: boolean },
): boolean =>
  mode === "subscription" ||
  (DISCREET_MARK in (metadata ?? {}) === discreet &&
    (invoice_creation?.enabled ?? false) === wantsInvoices);

/**
 * The id of a plan's price at Stripe, which must be the price that we show.
 * @throws CatalogMismatch, Stripe's errors
 */
async function findPrice(plan: CatalogPlan): Promise<string> {
  const { data } = await stripe().prices.list({
    lookup_keys: [plan.lookupKey],
    active: true,
    limit: 1,
  });
  const price = data[0];
  const months = price?.recurring?.interval === "month" ? price.recurring.interval_count : null;
  if (
    !price ||
    price.unit_amount !== plan.cents ||
    price.currency !== CURRENCY ||
    months !== plan.months
  ) {
    throw new CatalogMismatch(
      `The price ${plan.lookupKey} is missing at Stripe, or is not what the dashboard shows. Run npm run stripe:setup.`,
    );
  }
  return price.id;
}
