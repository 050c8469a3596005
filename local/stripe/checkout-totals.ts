import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { discountAmount, type Purchase } from "./coupons";
import { listWithin } from "./endpoint";
import { idOf } from "./ids";
import { productName } from "./products-and-prices";
import type { CheckoutDetails } from "./records";
import { taxOn } from "./tax";

function purchasesIn(account: Account, details: CheckoutDetails): Purchase[] {
  return details.items.map((item) => {
    const price = account.get("price", item.price);
    return { product: idOf(price.product), cents: (price.unit_amount ?? 0) * item.quantity };
  });
}

/** What a checkout costs, in cents. */
export function totalsOf(
  account: Account,
  details: CheckoutDetails,
): { subtotal: number; discount: number; tax: number; total: number } {
  const purchases = purchasesIn(account, details);
  const subtotal = purchases.reduce((sum, one) => sum + one.cents, 0);
  const discount = details.discount
    ? (discountAmount(account, account.get("coupon", details.discount.coupon), purchases) ?? 0)
    : 0;
  const tax = taxOn(subtotal - discount, details.taxPercent);
  return { subtotal, discount, tax, total: subtotal - discount + tax };
}

/**
 * @param param the parameter that names the discount; on the hosted page there is none
 * @throws ApiError when the discount of a checkout applies to nothing in it
 */
export function checkDiscount(account: Account, details: CheckoutDetails, param?: string): void {
  if (!details.discount) return;
  const coupon = account.get("coupon", details.discount.coupon, param);
  if (discountAmount(account, coupon, purchasesIn(account, details)) !== null) return;
  throw new ApiError(
    "This coupon cannot be redeemed because it does not apply to anything in this order.",
    { code: "coupon_applies_to_nothing", ...(param ? { param } : {}) },
  );
}

/** The items of a checkout, as the API lists them. */
export function lineItemsOf(
  account: Account,
  session: Stripe.Checkout.Session,
): Stripe.ApiList<Stripe.LineItem> {
  const details = account.get("checkout_details", session.id);
  const totals = totalsOf(account, details);
  let discountLeft = totals.discount;
  let taxLeft = totals.tax;
  const items = details.items.map((item, index): Stripe.LineItem => {
    const price = account.get("price", item.price);
    const subtotal = (price.unit_amount ?? 0) * item.quantity;
    // Each item gets its share of the discount and the tax, and the last one the rest.
    const isLast = index === details.items.length - 1;
    const share = Math.round((totals.discount * subtotal) / (totals.subtotal || 1));
    const discount = isLast ? discountLeft : Math.min(discountLeft, share);
    discountLeft -= discount;
    const tax = isLast
      ? taxLeft
      : Math.min(taxLeft, taxOn(subtotal - discount, details.taxPercent));
    taxLeft -= tax;
    return {
      id: item.id,
      object: "item",
      adjustable_quantity: null,
      amount_discount: discount,
      amount_subtotal: subtotal,
      amount_tax: tax,
      amount_total: subtotal - discount + tax,
      currency: price.currency,
      description: productName(account, price),
      metadata: {},
      price,
      quantity: item.quantity,
    };
  });
  return listWithin(items, `/v1/checkout/sessions/${session.id}/line_items`);
}
