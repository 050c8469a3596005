import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError, mutuallyExclusive, parameterMissing, resourceMissing } from "./api-error";
import { endpoint, pageOf, paging } from "./endpoint";
import { idOf, newId, randomString } from "./ids";
import {
  amount,
  currency,
  type Known,
  list,
  object,
  oneOf,
  percentage,
  required,
  text,
} from "./parameters";
import type { AppliedDiscount } from "./records";

const couponParams = {
  amount_off: amount,
  applies_to: object({
    products: required(list(text())),
  } satisfies Known<Stripe.CouponCreateParams.AppliesTo>),
  currency,
  duration: oneOf("forever", "once"),
  id: text(),
  name: text(40),
  percent_off: percentage,
} satisfies Known<Stripe.CouponCreateParams>;

const promotionCodeParams = {
  code: required(text(500)),
  promotion: required(
    object({
      type: required(oneOf("coupon")),
      coupon: required(text()),
    } satisfies Known<Stripe.PromotionCodeCreateParams.Promotion>),
  ),
} satisfies Known<Stripe.PromotionCodeCreateParams>;

const promotionCodeFilter = {
  ...paging,
  code: text(),
} satisfies Known<Stripe.PromotionCodeListParams>;

/** What is bought, as far as a coupon is concerned. */
export interface Purchase {
  product: string;
  cents: number;
}

/** What a coupon takes off a purchase, in cents; null when it applies to none of the products. */
export function discountAmount(
  account: Account,
  coupon: Stripe.Coupon,
  purchases: Purchase[],
): number | null {
  const products = account.store.find("coupon_products", coupon.id)?.products;
  const eligible = purchases.filter(({ product }) => products?.includes(product) ?? true);
  if (eligible.length === 0) return null;
  const cents = eligible.reduce((sum, one) => sum + one.cents, 0);
  if (coupon.percent_off !== null) return Math.round((cents * coupon.percent_off) / 100);
  return Math.min(cents, coupon.amount_off ?? 0);
}

/** The promotion code that a customer typed, in upper or lower case. */
export function findPromotionCode(
  account: Account,
  typed: string,
): Stripe.PromotionCode | undefined {
  return account.store
    .all("promotion_code")
    .find(({ code }) => code.toLowerCase() === typed.trim().toLowerCase());
}

/** A coupon that is applied to a subscription, or to a one-time payment: then `subscription` is null. */
export function createDiscount(
  account: Account,
  { coupon, promotionCode }: AppliedDiscount,
  on: { customer: string; subscription: string | null; session: string },
): Stripe.Discount {
  return account.save("discount", {
    id: newId("di"),
    object: "discount",
    checkout_session: on.session,
    customer: on.customer,
    customer_account: null,
    end: null,
    invoice: null,
    invoice_item: null,
    promotion_code: promotionCode,
    source: { type: "coupon", coupon },
    start: account.now,
    subscription: on.subscription,
    subscription_item: null,
  });
}

/** What each discount takes off an invoice, one after another. */
export function discountAmounts(
  account: Account,
  discounts: string[],
  purchases: Purchase[],
): { discount: string; amount: number }[] {
  let left = purchases.reduce((sum, one) => sum + one.cents, 0);
  return discounts.flatMap((discount) => {
    const coupon = couponOf(account, discount);
    if (!coupon) return [];
    const off = Math.min(left, discountAmount(account, coupon, purchases) ?? 0);
    left -= off;
    return [{ discount, amount: off }];
  });
}

/** The discounts that also apply to the next invoice. */
export function lastingDiscounts(account: Account, discounts: string[]): string[] {
  return discounts.filter((discount) => couponOf(account, discount)?.duration === "forever");
}

/** The coupon of a discount, unless it was deleted. */
function couponOf(account: Account, discount: string): Stripe.Coupon | undefined {
  return account.store.find("coupon", idOf(account.get("discount", discount).source.coupon)!);
}

export const couponEndpoints = [
  endpoint("POST /v1/coupons", couponParams, ({ account, params }) => {
    const { id = randomString(8), amount_off, percent_off, duration = "once" } = params;
    if (amount_off !== undefined && percent_off !== undefined)
      throw mutuallyExclusive("amount_off", "percent_off");
    if (amount_off === undefined && percent_off === undefined) {
      throw new ApiError("You must specify either percent_off or amount_off.", {
        code: "parameter_missing",
        param: "percent_off",
      });
    }
    if (amount_off !== undefined && params.currency === undefined)
      throw parameterMissing("currency");
    if (account.store.find("coupon", id)) {
      throw new ApiError("Coupon already exists.", {
        code: "resource_already_exists",
        param: "id",
      });
    }
    const { products } = params.applies_to ?? {};
    products?.forEach((product, index) => {
      if (!account.store.find("product", product))
        throw resourceMissing("product", product, `applies_to[products][${index}]`);
    });
    if (products) account.store.put("coupon_products", id, { products });
    return account.save(
      "coupon",
      {
        id,
        object: "coupon",
        amount_off: amount_off ?? null,
        created: account.now,
        currency: amount_off === undefined ? null : "usd",
        duration,
        duration_in_months: null,
        livemode: false,
        max_redemptions: null,
        metadata: {},
        name: params.name ?? null,
        percent_off: percent_off ?? null,
        redeem_by: null,
        times_redeemed: 0,
        valid: true,
      },
      "coupon.created",
    );
  }),
  endpoint("GET /v1/coupons/:id", {}, ({ account, id }) => account.get("coupon", id)),
  endpoint("DELETE /v1/coupons/:id", {}, ({ account, id }) => {
    const coupon = account.get("coupon", id);
    account.store.remove("coupon", id);
    account.store.remove("coupon_products", id);
    account.recordEvent("coupon.deleted", coupon);
    return { id, object: "coupon", deleted: true };
  }),
  endpoint("POST /v1/promotion_codes", promotionCodeParams, ({ account, params }) => {
    const { code } = params;
    const coupon = account.get("coupon", params.promotion.coupon, "promotion[coupon]");
    if (findPromotionCode(account, code)) {
      throw new ApiError(`An active promotion code with \`code: ${code}\` already exists.`, {
        code: "resource_already_exists",
        param: "code",
      });
    }
    return account.save(
      "promotion_code",
      {
        id: newId("promo"),
        object: "promotion_code",
        active: true,
        code,
        created: account.now,
        customer: null,
        customer_account: null,
        expires_at: null,
        livemode: false,
        max_redemptions: null,
        metadata: {},
        promotion: { type: "coupon", coupon: coupon.id },
        restrictions: {
          first_time_transaction: false,
          minimum_amount: null,
          minimum_amount_currency: null,
        },
        times_redeemed: 0,
      },
      "promotion_code.created",
    );
  }),
  endpoint("GET /v1/promotion_codes", promotionCodeFilter, ({ account, params }) => {
    const { code } = params;
    const found = account.store
      .all("promotion_code")
      .filter((one) => code === undefined || one.code.toLowerCase() === code.toLowerCase());
    return pageOf(found, "/v1/promotion_codes", params);
  }),
];
