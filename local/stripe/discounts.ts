import type { Stripe } from "stripe";

import type { Account } from "./account";
import { type Bought, discountOn } from "./coupons";
import { idOf, newId } from "./ids";
import { after } from "./interval";

export interface DiscountSource {
  coupon: Stripe.Coupon;
  promotionCode: string | null;
}

/** A coupon at work on a subscription. */
export function createDiscount(
  account: Account,
  source: DiscountSource,
  of: { customer: string; subscription: string; session: string },
): Stripe.Discount {
  const { coupon, promotionCode } = source;
  const months = coupon.duration === "repeating" ? coupon.duration_in_months : null;
  return account.save("discount", {
    id: newId("di"),
    object: "discount",
    checkout_session: of.session,
    customer: of.customer,
    customer_account: null,
    end: months === null ? null : after(account.now, { interval: "month", interval_count: months }),
    invoice: null,
    invoice_item: null,
    promotion_code: promotionCode,
    source: { type: "coupon", coupon: coupon.id },
    start: account.now,
    subscription: of.subscription,
    subscription_item: null,
  });
}

/** What each discount takes off what is billed, one after another; those whose time is over take nothing. */
export function takenOff(
  account: Account,
  discounts: string[],
  billed: Bought[],
): { discount: string; amount: number }[] {
  let left = billed.reduce((sum, one) => sum + one.cents, 0);
  return discounts.flatMap((id) => {
    const { end, coupon } = whatIs(account, id);
    if (!coupon || (end !== null && end <= account.now)) return [];
    const amount = Math.min(left, discountOn(account, coupon, billed) ?? 0);
    left -= amount;
    return [{ discount: id, amount }];
  });
}

/** The discounts that are left after an invoice: those for once have had their time. */
export function leftAfterInvoice(account: Account, discounts: string[]): string[] {
  return discounts.filter((id) => {
    const { end, coupon } = whatIs(account, id);
    return (
      coupon !== undefined && coupon.duration !== "once" && (end === null || end > account.now)
    );
  });
}

function whatIs(
  account: Account,
  id: string,
): { end: number | null; coupon: Stripe.Coupon | undefined } {
  const discount = account.find("discount", id);
  return { end: discount.end, coupon: account.store.find("coupon", idOf(discount.source.coupon)!) };
}
