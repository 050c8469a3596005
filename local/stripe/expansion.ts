import type { Account } from "./account";
import { lineItems } from "./checkout-details";
import { productsOf } from "./coupons";
import { listWithin } from "./endpoint";
import { paymentsOf } from "./invoices";
import { Refusal } from "./refusal";
import type { Kind } from "./store";

type Json = Record<string, unknown>;
/** How a field is filled: by the object whose id stands in it, or with what is left out unless asked for. */
type Filling = Kind | ((account: Account, owner: Json & { id: string }) => unknown);

/** What can be expanded, by the type of the object and the path within it. */
const FIELDS: Record<string, Record<string, Filling>> = {
  "checkout.session": {
    customer: "customer",
    invoice: "invoice",
    payment_intent: "payment_intent",
    subscription: "subscription",
    "discounts.coupon": "coupon",
    "discounts.promotion_code": "promotion_code",
    line_items: (account, session) => lineItems(account, session),
  },
  payment_intent: {
    customer: "customer",
    latest_charge: "charge",
    payment_method: "payment_method",
  },
  charge: {
    customer: "customer",
    payment_intent: "payment_intent",
    refunds: (account, charge) =>
      listWithin(
        account.store.all("refund").filter((one) => one.charge === charge.id),
        `/v1/charges/${charge.id}/refunds`,
      ),
  },
  refund: { charge: "charge", payment_intent: "payment_intent" },
  dispute: { charge: "charge", payment_intent: "payment_intent" },
  subscription: {
    customer: "customer",
    default_payment_method: "payment_method",
    latest_invoice: "invoice",
    discounts: "discount",
  },
  invoice: {
    customer: "customer",
    discounts: "discount",
    "total_discount_amounts.discount": "discount",
    "parent.subscription_details.subscription": "subscription",
    payments: (account, invoice) =>
      listWithin(paymentsOf(account, invoice.id), `/v1/invoice_payments?invoice=${invoice.id}`),
  },
  invoice_payment: { invoice: "invoice", "payment.payment_intent": "payment_intent" },
  customer: {
    "invoice_settings.default_payment_method": "payment_method",
    subscriptions: (account, customer) =>
      listWithin(
        account.store
          .all("subscription")
          .filter((one) => one.customer === customer.id && one.status !== "canceled"),
        `/v1/customers/${customer.id}/subscriptions`,
      ),
  },
  coupon: {
    applies_to: (account, coupon) => {
      const products = productsOf(account, coupon.id);
      return products && { products };
    },
  },
  promotion_code: { customer: "customer", "promotion.coupon": "coupon" },
  discount: { customer: "customer", promotion_code: "promotion_code", "source.coupon": "coupon" },
  price: { product: "product" },
  product: { default_price: "price" },
  payment_method: { customer: "customer" },
  "billing_portal.session": { configuration: "billing_portal.configuration" },
};

const DEEPEST = 4;

/** The answer with what `expand[]` asks for in it. */
export function expanded(account: Account, answer: object, paths: string[]): object {
  const copy = structuredClone(answer) as Json;
  for (const path of paths) {
    const steps = path.split(".");
    if (steps.length > DEEPEST) {
      throw new Refusal(
        `You cannot expand more than ${DEEPEST} levels of a property. Property: ${path}`,
        { param: "expand" },
      );
    }
    expandIn(account, copy, steps, path, copy, []);
  }
  return copy;
}

/** @param owner the Stripe object that `inside` is a part of, at the path `within` */
function expandIn(
  account: Account,
  inside: unknown,
  steps: string[],
  whole: string,
  owner: Json,
  within: string[],
): void {
  const [step, ...rest] = steps;
  if (step === undefined || inside === null || typeof inside !== "object") return;
  if (Array.isArray(inside)) {
    for (const one of inside)
      expandIn(account, one, steps, whole, ownerOf(one, owner), isObject(one) ? [] : within);
    return;
  }
  const place = inside as Json;
  const at = [...within, step];
  const filling = FIELDS[owner["object"] as string]?.[at.join(".")];
  if (filling !== undefined) {
    fill(account, place, step, filling, owner);
  } else if (rest.length === 0 || !(step in place)) {
    throw new Refusal(`This property cannot be expanded (${whole}).`, { param: "expand" });
  }
  const next = place[step];
  expandIn(account, next, rest, whole, ownerOf(next, owner), isObject(next) ? [] : at);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && "object" in value;
}

function ownerOf(value: unknown, owner: Json): Json {
  return isObject(value) ? (value as Json) : owner;
}

function fill(account: Account, place: Json, step: string, filling: Filling, owner: Json): void {
  if (typeof filling === "function") {
    if (!(step in place))
      place[step] = structuredClone(filling(account, owner as Json & { id: string }));
    return;
  }
  const whole = (value: unknown): unknown => {
    const found = typeof value === "string" ? account.store.find(filling, value) : undefined;
    return found ? structuredClone(found) : value;
  };
  const value = place[step];
  place[step] = Array.isArray(value) ? value.map(whole) : whole(value);
}
