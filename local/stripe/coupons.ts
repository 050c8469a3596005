import type { Stripe } from "stripe";

import type { Account } from "./account";
import { endpoint, pageOf } from "./endpoint";
import { randomSigns } from "./ids";
import {
  amount,
  currency,
  defined,
  type Every,
  list,
  mergeMetadata,
  metadata,
  moment,
  notHere,
  object,
  oneOf,
  paging,
  percentage,
  range,
  text,
  whole,
} from "./parameters";
import { missing, noSuch, onlyOneOf, Refusal } from "./refusal";

const toCreate = {
  amount_off: amount,
  applies_to: object({ products: list(text()) }),
  currency,
  duration: oneOf("forever", "once", "repeating"),
  duration_in_months: whole({ min: 1 }),
  id: text(),
  max_redemptions: whole({ min: 1 }),
  metadata,
  name: text(40),
  percent_off: percentage,
  redeem_by: moment,
  ...notHere("currency_options"),
} satisfies Every<Stripe.CouponCreateParams>;

const toUpdate = {
  metadata,
  name: text(40),
  ...notHere("currency_options"),
} satisfies Every<Stripe.CouponUpdateParams>;
const toList = { ...paging, created: range } satisfies Every<Stripe.CouponListParams>;

/** The coupon as it is now: it is over once it is redeemed often enough, or its time has passed. */
export function couponNow(account: Account, id: string, param?: string): Stripe.Coupon {
  const coupon = account.find("coupon", id, param);
  const over =
    (coupon.max_redemptions !== null && coupon.times_redeemed >= coupon.max_redemptions) ||
    (coupon.redeem_by !== null && coupon.redeem_by <= account.now);
  return { ...coupon, valid: !over };
}

/** What is bought, as far as a coupon looks at it. */
export interface Bought {
  product: string;
  cents: number;
}

/** The products that a coupon is good for; undefined for all. */
export function productsOf(account: Account, coupon: string): string[] | undefined {
  return account.store.find("coupon_products", coupon)?.products;
}

/** What a coupon takes off what is bought; null when it is good for nothing of it. */
export function discountOn(
  account: Account,
  coupon: Stripe.Coupon,
  bought: Bought[],
): number | null {
  const products = productsOf(account, coupon.id);
  const eligible = bought.filter((one) => products === undefined || products.includes(one.product));
  if (eligible.length === 0) return null;
  const cents = eligible.reduce((sum, one) => sum + one.cents, 0);
  if (coupon.percent_off !== null) return Math.round((cents * coupon.percent_off) / 100);
  return Math.min(cents, coupon.amount_off ?? 0);
}

/** Counts one more use of a coupon. */
export function redeem(account: Account, coupon: Stripe.Coupon): void {
  account.save("coupon", {
    ...account.find("coupon", coupon.id),
    times_redeemed: coupon.times_redeemed + 1,
  });
}

export const coupons = [
  endpoint("POST /v1/coupons", toCreate, ({ account, given }) => {
    const { amount_off, percent_off, duration = "once" } = given;
    if (amount_off !== undefined && percent_off !== undefined)
      throw onlyOneOf("amount_off", "percent_off");
    if (amount_off === undefined && percent_off === undefined) {
      throw new Refusal("You must specify either percent_off or amount_off.", {
        code: "parameter_missing",
        param: "percent_off",
      });
    }
    if (amount_off !== undefined && given.currency === undefined) throw missing("currency");
    if (amount_off === 0)
      throw new Refusal("This value must be greater than or equal to 1.", { param: "amount_off" });
    if ((duration === "repeating") !== (given.duration_in_months !== undefined)) {
      throw new Refusal(
        "duration_in_months goes with the duration 'repeating', and only with it.",
        { param: "duration_in_months" },
      );
    }
    if (given.redeem_by !== undefined && given.redeem_by <= account.now) {
      throw new Refusal("redeem_by must be in the future.", { param: "redeem_by" });
    }
    const id = given.id ?? randomSigns(8);
    if (account.store.find("coupon", id)) {
      throw new Refusal("Coupon already exists.", { code: "resource_already_exists", param: "id" });
    }
    const { products } = given.applies_to ?? {};
    products?.forEach((product, index) => {
      if (!account.store.find("product", product))
        throw noSuch("product", product, `applies_to[products][${index}]`);
    });
    if (products && products.length > 0) account.store.put("coupon_products", id, { products });
    return account.save(
      "coupon",
      {
        id,
        object: "coupon",
        amount_off: amount_off ?? null,
        created: account.now,
        currency: amount_off === undefined ? null : given.currency!,
        duration,
        duration_in_months: given.duration_in_months ?? null,
        livemode: false,
        max_redemptions: given.max_redemptions ?? null,
        metadata: mergeMetadata(null, given.metadata),
        name: given.name ?? null,
        percent_off: percent_off ?? null,
        redeem_by: given.redeem_by ?? null,
        times_redeemed: 0,
        valid: true,
      },
      "coupon.created",
    );
  }),
  endpoint("GET /v1/coupons", toList, ({ account, given }) => {
    const found = account.store.all("coupon").filter((one) => given.created?.(one.created) ?? true);
    return pageOf(
      found.map((one) => couponNow(account, one.id)),
      "/v1/coupons",
      given,
    );
  }),
  endpoint("GET /v1/coupons/:id", {}, ({ account, id }) => couponNow(account, id)),
  endpoint("POST /v1/coupons/:id", toUpdate, ({ account, id, given }) => {
    const old = account.find("coupon", id);
    const { metadata: pairs, ...changes } = given;
    return account.save(
      "coupon",
      { ...old, ...defined(changes), metadata: mergeMetadata(old.metadata, pairs) },
      "coupon.updated",
    );
  }),
  endpoint("DELETE /v1/coupons/:id", {}, ({ account, id }) => {
    const coupon = account.find("coupon", id);
    account.store.remove("coupon", id);
    account.store.remove("coupon_products", id);
    account.happened("coupon.deleted", coupon);
    return { id, object: "coupon", deleted: true };
  }),
];
