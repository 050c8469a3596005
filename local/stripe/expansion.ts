import type { Account } from "./account";
import { ApiError } from "./api-error";
import { lineItemsOf } from "./checkout-totals";
import { listWithin } from "./endpoint";
import { paymentsOf } from "./invoices";
import type { RecordType } from "./records";

type Json = Record<string, unknown>;

/**
 * What can be expanded: by the type of the object and the path within it, the type of what it
 * points to.
 */
const EXPANDABLE: Record<string, Record<string, RecordType>> = {
  "checkout.session": {
    customer: "customer",
    invoice: "invoice",
    payment_intent: "payment_intent",
    subscription: "subscription",
  },
  charge: { customer: "customer", payment_intent: "payment_intent" },
  coupon: { applies_to: "coupon_products" },
  discount: { "source.coupon": "coupon" },
  dispute: { charge: "charge", payment_intent: "payment_intent" },
  invoice: {
    customer: "customer",
    "parent.subscription_details.subscription": "subscription",
  },
  invoice_payment: { invoice: "invoice", "payment.payment_intent": "payment_intent" },
  payment_intent: {
    customer: "customer",
    latest_charge: "charge",
    payment_method: "payment_method",
  },
  refund: { charge: "charge", payment_intent: "payment_intent" },
  subscription: {
    customer: "customer",
    default_payment_method: "payment_method",
    discounts: "discount",
    latest_invoice: "invoice",
  },
};

/** Lists that an object has only when they are expanded. */
const LISTS: Record<string, Record<string, (account: Account, id: string) => object>> = {
  charge: {
    refunds: (account, id) =>
      listWithin(
        account.store.all("refund").filter((one) => one.charge === id),
        `/v1/charges/${id}/refunds`,
      ),
  },
  "checkout.session": {
    line_items: (account, id) => lineItemsOf(account, account.get("checkout.session", id)),
  },
  invoice: {
    payments: (account, id) =>
      listWithin(paymentsOf(account, id), `/v1/invoice_payments?invoice=${id}`),
  },
};

const MAX_LEVELS = 4;

/**
 * A copy of an answer in which the ids at some paths are replaced by the objects.
 * @param paths the parameter `expand`, such as `data.payment.payment_intent`
 */
export function expand(account: Account, answer: object, paths: string[]): object {
  const copy = structuredClone(answer) as Json;
  for (const path of paths) {
    const steps = path.split(".");
    if (steps.length > MAX_LEVELS) {
      throw new ApiError(
        `You cannot expand more than ${MAX_LEVELS} levels of a property. Property: ${path}`,
        { param: "expand" },
      );
    }
    expandWithin(account, copy, steps, { path, owner: copy, within: [] });
  }
  return copy;
}

interface Position {
  /** The whole path, for the error message. */
  path: string;
  /** The Stripe object that contains the value, and the path to the value within it. */
  owner: Json;
  within: string[];
}

function expandWithin(account: Account, value: unknown, steps: string[], at: Position): void {
  const [step, ...rest] = steps;
  if (step === undefined || value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    for (const one of value) expandWithin(account, one, steps, entering(one, at));
    return;
  }
  const parent = value as Json;
  const within = [...at.within, step];
  const owner = at.owner["object"] as string;
  const type = EXPANDABLE[owner]?.[within.join(".")];
  const list = LISTS[owner]?.[within.join(".")];
  if (list) {
    parent[step] ??= structuredClone(list(account, at.owner["id"] as string));
  } else if (type !== undefined) {
    // What has no id in its place (`applies_to` of a coupon) is found by the id of its owner.
    const id = parent[step] === undefined ? at.owner["id"] : parent[step];
    const find = (one: unknown) =>
      structuredClone(typeof one === "string" ? account.store.find(type, one) : undefined);
    if (Array.isArray(id)) parent[step] = id.map((one: unknown) => find(one) ?? one);
    else parent[step] = find(id) ?? parent[step];
  } else if (rest.length === 0 || !(step in parent)) {
    throw new ApiError(`This property cannot be expanded (${at.path}).`, { param: "expand" });
  }
  expandWithin(account, parent[step], rest, entering(parent[step], { ...at, within }));
}

function entering(value: unknown, at: Position): Position {
  const isObject = typeof value === "object" && value !== null && "object" in value;
  return isObject ? { path: at.path, owner: value, within: [] } : at;
}
