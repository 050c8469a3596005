import type Stripe from "stripe";

import { env } from "~/env.server";
import { stripe } from "~/integrations/stripe/client.server";

import { PRODUCTS, SPONSORSHIP_NAME, type CataloguePlan } from "./catalogue";
import type { Buyer } from "./customer.server";
import { CURRENCY } from "./prices";

/** An order as its checkout needs it. Money in cents. */
export interface OpenOrder {
  id: string;
  /** Counts its checkouts. */
  attempt: number;
  unit_price_cents: number;
  quantity: number;
  /** When the checkout of this attempt ends, in seconds. */
  expires_at: number;
}

/** What the checkout of an order is for. `plan` is that of an upgrade. */
export interface CheckoutOf {
  order: OpenOrder;
  buyer: Pick<Buyer, "id" | "discreet">;
  customer: string;
  coupon: string | null;
  item:
    | { kind: "job"; jobId: number }
    | { kind: "sponsorship"; sponsorshipId: number }
    | { kind: "upgrade"; placeId: number; plan: CataloguePlan };
}

type Params = Stripe.Checkout.SessionCreateParams;

/**
 * On the card statement of whoever is discreet it stands behind the account's short descriptor, in place of the long one.
 * Both together may have 22 characters, and a short descriptor up to ten.
 */
const DISCREET_SUFFIX = "ORDER";

/** Stripe fills this in when somebody comes back. */
const SESSION = "{CHECKOUT_SESSION_ID}";

/**
 * The checkout of an order. Prices are the order's own, or a price of the catalogue that was just compared with it;
 * what is told about who buys what is ids alone. The same attempt gives the same checkout.
 */
export async function checkoutParams({
  order,
  buyer,
  customer,
  coupon,
  item,
}: CheckoutOf): Promise<Params> {
  const { appUrl } = env();
  // Of a subscription the account's own descriptor is all that Stripe allows.
  const onStatement = buyer.discreet ? { statement_descriptor_suffix: DISCREET_SUFFIX } : {};
  const common = {
    customer,
    client_reference_id: order.id,
    expires_at: order.expires_at,
    // A discount of ours and a code of theirs exclude one another.
    ...(coupon ? { discounts: [{ coupon }] } : { allow_promotion_codes: true }),
  } satisfies Params;
  const amount = { currency: CURRENCY, unit_amount: order.unit_price_cents };

  if (item.kind === "job") {
    const metadata = { order: order.id, job: String(item.jobId), owner: buyer.id };
    return {
      ...common,
      mode: "payment",
      line_items: [{ quantity: 1, price_data: { ...amount, product: PRODUCTS.job.id } }],
      metadata,
      payment_intent_data: { metadata, ...onStatement },
      success_url: `${appUrl}/jobs?paid=${SESSION}`,
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
      line_items: [
        {
          quantity: order.quantity,
          price_data: { ...amount, product_data: { name: SPONSORSHIP_NAME } },
        },
      ],
      metadata,
      payment_intent_data: { metadata, ...onStatement },
      success_url: `${appUrl}/sponsor?paid=${SESSION}`,
      cancel_url: `${appUrl}/sponsor?cancelled=${order.id}`,
    };
  }
  const metadata = { order: order.id, place_id: String(item.placeId), user: buyer.id };
  const firstBill = (item.plan.cents - (item.plan.firstOff?.cents ?? 0)) / 100;
  return {
    ...common,
    mode: "subscription",
    line_items: [{ quantity: 1, price: await priceOf(item.plan) }],
    metadata,
    subscription_data: { metadata },
    success_url: `${appUrl}/upgrade?success=true&value=${firstBill}&session_id=${SESSION}`,
    cancel_url: `${appUrl}/upgrade?place=${item.placeId}&cancelled=${order.id}`,
  };
}

/** The account at Stripe does not have what is for sale, or has it at another price: `npm run stripe:setup` was not run. */
export class CatalogueDiffers extends Error {
  override name = "CatalogueDiffers";
}

/**
 * The price of a plan at Stripe, which has to be what we show.
 * @throws CatalogueDiffers, Stripe's failures
 */
async function priceOf(plan: CataloguePlan): Promise<string> {
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
    throw new CatalogueDiffers(
      `The price ${plan.lookupKey} is missing at Stripe, or is not what the dashboard shows. Run npm run stripe:setup.`,
    );
  }
  return price.id;
}
