import type { Stripe } from "stripe";

import type { Account } from "./account";
import { couponNow } from "./coupons";
import { endpoint, pageOf } from "./endpoint";
import { newId, randomSigns } from "./ids";
import {
  amount,
  currency,
  type Every,
  flag,
  mergeMetadata,
  metadata,
  moment,
  notHere,
  object,
  oneOf,
  paging,
  range,
  required,
  text,
  whole,
} from "./parameters";
import { missing, Refusal } from "./refusal";

const restrictions = {
  first_time_transaction: flag,
  minimum_amount: amount,
  minimum_amount_currency: currency,
  ...notHere("currency_options"),
} satisfies Every<Stripe.PromotionCodeCreateParams.Restrictions>;

const toCreate = {
  active: flag,
  code: text(500),
  customer: text(),
  expires_at: moment,
  max_redemptions: whole({ min: 1 }),
  metadata,
  promotion: required(
    object({
      type: required(oneOf("coupon")),
      coupon: text(),
    } satisfies Every<Stripe.PromotionCodeCreateParams.Promotion>),
  ),
  restrictions: object(restrictions),
  ...notHere("customer_account"),
} satisfies Every<Stripe.PromotionCodeCreateParams>;

const toUpdate = {
  active: flag,
  metadata,
  ...notHere("restrictions"),
} satisfies Every<Stripe.PromotionCodeUpdateParams>;

const toList = {
  ...paging,
  active: flag,
  code: text(),
  coupon: text(),
  created: range,
  customer: text(),
  ...notHere("customer_account"),
} satisfies Every<Stripe.PromotionCodeListParams>;

/** The code as it is now: it ends with its coupon, its time, or its last redemption. */
export function promotionCodeNow(
  account: Account,
  code: Stripe.PromotionCode,
): Stripe.PromotionCode {
  const coupon = account.store.find("coupon", code.promotion.coupon as string);
  const over =
    !coupon ||
    !couponNow(account, coupon.id).valid ||
    (code.max_redemptions !== null && code.times_redeemed >= code.max_redemptions) ||
    (code.expires_at !== null && code.expires_at <= account.now);
  return { ...code, active: code.active && !over };
}

/** The active code of this spelling, in whatever case. */
export function activeCode(account: Account, spelling: string): Stripe.PromotionCode | undefined {
  return account.store
    .all("promotion_code")
    .map((code) => promotionCodeNow(account, code))
    .find((code) => code.active && code.code.toLowerCase() === spelling.trim().toLowerCase());
}

export const promotionCodes = [
  endpoint("POST /v1/promotion_codes", toCreate, ({ account, given }) => {
    const code = given.code ?? randomSigns(8).toUpperCase();
    if (!/^[a-zA-Z0-9-]+$/.test(code)) {
      throw new Refusal("Promotion codes may only contain letters, digits and dashes.", {
        param: "code",
      });
    }
    if (given.promotion.coupon === undefined) throw missing("promotion[coupon]");
    const coupon = couponNow(account, given.promotion.coupon, "promotion[coupon]");
    if (!coupon.valid)
      throw new Refusal("This coupon is no longer valid.", {
        code: "coupon_expired",
        param: "promotion[coupon]",
      });
    if (activeCode(account, code)) {
      throw new Refusal(`An active promotion code with \`code: ${code}\` already exists.`, {
        code: "resource_already_exists",
        param: "code",
      });
    }
    const { minimum_amount: minimum, minimum_amount_currency: minimumCurrency } =
      given.restrictions ?? {};
    if (minimum !== undefined && minimumCurrency === undefined)
      throw missing("restrictions[minimum_amount_currency]");
    return account.save(
      "promotion_code",
      {
        id: newId("promo"),
        object: "promotion_code",
        active: given.active ?? true,
        code,
        created: account.now,
        customer:
          given.customer === undefined ? null : account.customer(given.customer, "customer").id,
        customer_account: null,
        expires_at: given.expires_at ?? null,
        livemode: false,
        max_redemptions: given.max_redemptions ?? null,
        metadata: mergeMetadata(null, given.metadata),
        promotion: { type: "coupon", coupon: coupon.id },
        restrictions: {
          first_time_transaction: given.restrictions?.first_time_transaction ?? false,
          minimum_amount: minimum ?? null,
          minimum_amount_currency: minimumCurrency ?? null,
        },
        times_redeemed: 0,
      },
      "promotion_code.created",
    );
  }),
  endpoint("GET /v1/promotion_codes", toList, ({ account, given }) => {
    const found = account.store
      .all("promotion_code")
      .map((one) => promotionCodeNow(account, one))
      .filter(
        (one) =>
          (given.active === undefined || one.active === given.active) &&
          (given.code === undefined || one.code.toLowerCase() === given.code.toLowerCase()) &&
          (given.coupon === undefined || one.promotion.coupon === given.coupon) &&
          (given.customer === undefined || one.customer === given.customer) &&
          (given.created?.(one.created) ?? true),
      );
    return pageOf(found, "/v1/promotion_codes", given);
  }),
  endpoint("GET /v1/promotion_codes/:id", {}, ({ account, id }) =>
    promotionCodeNow(account, account.find("promotion_code", id)),
  ),
  endpoint("POST /v1/promotion_codes/:id", toUpdate, ({ account, id, given }) => {
    const old = account.find("promotion_code", id);
    return account.save(
      "promotion_code",
      {
        ...old,
        active: given.active ?? old.active,
        metadata: mergeMetadata(old.metadata, given.metadata),
      },
      "promotion_code.updated",
    );
  }),
];
