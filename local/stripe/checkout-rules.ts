import type { Stripe } from "stripe";

import { isTaxLocation } from "./address";
import { ApiError, mutuallyExclusive, parameterMissing } from "./api-error";
import type { SessionParams } from "./checkout-parameters";

const MIN_LIFETIME_S = 30 * 60;
const MAX_LIFETIME_S = 24 * 3600;
const MIN_CENTS = 50;
const MAX_CENTS = 99_999_999;

/** Parameters that are not accepted in the other mode. */
const OF_ONE_MODE = {
  payment: ["subscription_data"],
  subscription: ["invoice_creation", "payment_intent_data"],
} as const;

/** Refuses what Stripe refuses whatever the prices are. */
export function checkCombination(params: SessionParams): void {
  const { mode } = params;
  if (params.line_items.length === 0) throw parameterMissing("line_items");
  if (params.discounts && params.allow_promotion_codes !== undefined)
    throw mutuallyExclusive("allow_promotion_codes", "discounts");
  for (const param of OF_ONE_MODE[mode]) {
    if (params[param])
      throw new ApiError(`You can not pass \`${param}\` in \`${mode}\` mode.`, { param });
  }
}

/**
 * Tax is calculated from the customer's address, and a tax id belongs to a name. A customer who has
 * neither yet must be updated from what they enter.
 */
export function checkTax(params: SessionParams, customer: Stripe.Customer): void {
  const update = params.customer_update;
  if (
    params.automatic_tax?.enabled &&
    update?.address !== "auto" &&
    !isTaxLocation(customer.address)
  ) {
    throw new ApiError(
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set " +
        "either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in " +
        "Checkout to the Customer.",
      { code: "customer_tax_location_invalid" },
    );
  }
  if (params.tax_id_collection?.enabled && update?.name !== "auto") {
    throw new ApiError(
      "Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, " +
        "please set `customer_update[name]` to `auto`.",
    );
  }
}

/** When a session expires, by the client's clock: within 24 hours, and not before 30 minutes. */
export function expiryOf({ expires_at }: SessionParams): number {
  const now = Math.floor(Date.now() / 1000);
  const expiry = expires_at ?? now + MAX_LIFETIME_S;
  if (expiry < now + MIN_LIFETIME_S) {
    throw new ApiError(
      "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.",
      { param: "expires_at" },
    );
  }
  if (expiry > now + MAX_LIFETIME_S) {
    throw new ApiError(
      "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.",
      { param: "expires_at" },
    );
  }
  return expiry;
}

/** Refuses a total that cannot be charged; nothing at all needs no payment. */
export function checkAmount(total: number): void {
  if (total > 0 && total < MIN_CENTS) {
    throw new ApiError(
      "The Checkout Session's total amount due must add up to at least $0.50 usd",
      { code: "amount_too_small" },
    );
  }
  if (total > MAX_CENTS) {
    throw new ApiError("The Checkout Session's total amount due must be no more than $999,999.99", {
      code: "amount_too_large",
    });
  }
}

/** What the account offers in its settings: each is eligible for a payment and for a plan. */
const OFFERED = ["card", "us_bank_account"];

/** The payment methods that the page offers. */
export function methodTypesOf({ allowed_payment_method_types: allowed }: SessionParams): string[] {
  const offered = OFFERED.filter((type) => allowed?.some((one) => one === type) ?? true);
  if (offered.length > 0) return offered;
  throw new ApiError(
    "No valid payment method types for this Checkout Session. Please ensure that you have activated payment methods compatible " +
      "with your chosen currency in your dashboard.",
  );
}
