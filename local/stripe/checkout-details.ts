import type { Stripe } from "stripe";

import type { Account } from "./account";
import { type Bought, couponNow, discountOn } from "./coupons";
import { listWithin } from "./endpoint";
import { idOf } from "./ids";
import { promotionCodeNow } from "./promotion-codes";
import { Refusal } from "./refusal";
import { nameOf } from "./subscriptions";

/** What a checkout session knows and does not show in the API. */
export interface CheckoutDetails {
  items: { id: string; price: string; quantity: number }[];
  discount: { coupon: string; promotionCode: string | null } | null;
  /** When it ends by itself, by the account's clock, which may be ahead of the one that asked for it. */
  endsAt: number;
  paymentIntentData: {
    description?: string | undefined;
    metadata?: Record<string, string> | null | undefined;
    receipt_email?: string | undefined;
    setup_future_usage?: "off_session" | "on_session" | undefined;
    statement_descriptor_suffix?: string | undefined;
  };
  subscriptionData: {
    description?: string | undefined;
    metadata?: Record<string, string> | null | undefined;
  };
  /** The card whose bank wants to hear from the person, and the name they gave. */
  awaiting: { card: string; intent: string | null } | null;
  /** Why the last try did not succeed, for the page. */
  trouble: string | null;
}

export interface Sum {
  subtotal: number;
  off: number;
  total: number;
}

function boughtIn(account: Account, details: CheckoutDetails): Bought[] {
  return details.items.map((item) => {
    const price = account.find("price", item.price);
    return { product: idOf(price.product), cents: (price.unit_amount ?? 0) * item.quantity };
  });
}

/** What is to be paid. */
export function sumOf(account: Account, details: CheckoutDetails): Sum {
  const bought = boughtIn(account, details);
  const subtotal = bought.reduce((sum, one) => sum + one.cents, 0);
  const off = details.discount
    ? (discountOn(account, account.find("coupon", details.discount.coupon), bought) ?? 0)
    : 0;
  return { subtotal, off, total: subtotal - off };
}

/**
 * Refuses a coupon that is over, or good for nothing of this, or a code with conditions that do not hold.
 * @param param the parameter to name; on the hosted page there is none
 */
export function proveDiscount(
  account: Account,
  details: CheckoutDetails,
  customer: string | null,
  param?: string,
): void {
  if (!details.discount) return;
  const refuse = (message: string, code: string): Refusal =>
    new Refusal(message, { code, ...(param ? { param } : {}) });
  const coupon = couponNow(account, details.discount.coupon, param);
  if (!coupon.valid) throw refuse(`Coupon expired: ${coupon.id}`, "coupon_expired");
  const bought = boughtIn(account, details);
  if (discountOn(account, coupon, bought) === null) {
    throw refuse(
      "This coupon cannot be redeemed because it does not apply to anything in this order.",
      "coupon_applies_to_nothing",
    );
  }
  if (details.discount.promotionCode === null) return;
  const code = promotionCodeNow(
    account,
    account.find("promotion_code", details.discount.promotionCode, param),
  );
  if (!code.active)
    throw refuse(
      "This promotion code cannot be redeemed because it is no longer active.",
      "promotion_code_inactive",
    );
  const { first_time_transaction: firstOnly, minimum_amount: minimum } = code.restrictions;
  if (code.customer !== null && code.customer !== customer) {
    throw refuse(
      "This promotion code cannot be redeemed because it belongs to a different customer.",
      "promotion_code_other_customer",
    );
  }
  if (minimum !== null && sumOf(account, { ...details, discount: null }).total < minimum) {
    throw refuse(
      "This promotion code cannot be redeemed because the order does not reach its minimum amount.",
      "promotion_code_minimum",
    );
  }
  if (firstOnly && customer !== null && hasPaidBefore(account, customer)) {
    throw refuse(
      "This promotion code cannot be redeemed because the customer has prior transactions.",
      "promotion_code_prior_transactions",
    );
  }
}

function hasPaidBefore(account: Account, customer: string): boolean {
  return account.store.all("charge").some((charge) => charge.customer === customer && charge.paid);
}

/** What is bought, as the API lists it. */
export function lineItems(
  account: Account,
  session: Pick<Stripe.Checkout.Session, "id">,
): Stripe.ApiList<Stripe.LineItem> {
  const details = account.find("checkout", session.id);
  const sum = sumOf(account, details);
  const bought = boughtIn(account, details);
  let offLeft = sum.off;
  const items = details.items.map((item, index): Stripe.LineItem => {
    const price = account.find("price", item.price);
    const subtotal = bought[index]!.cents;
    const off = Math.min(
      offLeft,
      index === details.items.length - 1
        ? offLeft
        : Math.round((sum.off * subtotal) / (sum.subtotal || 1)),
    );
    offLeft -= off;
    return {
      id: item.id,
      object: "item",
      adjustable_quantity: null,
      amount_discount: off,
      amount_subtotal: subtotal,
      amount_tax: 0,
      amount_total: subtotal - off,
      currency: price.currency,
      description: nameOf(account, price),
      metadata: {},
      price,
      quantity: item.quantity,
    };
  });
  return listWithin(items, `/v1/checkout/sessions/${session.id}/line_items`);
}
