import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

import type { Stripe } from "stripe";

import type { CheckoutDetails } from "./checkout-details";
import type { Delivery } from "./deliveries";
import type { KeptAnswer } from "./idempotency";
import type { Line } from "./invoices";
import type { Settings } from "./settings";

/** What is kept: Stripe's own objects in the form of its API, and below them what Stripe keeps to itself. */
export interface Records {
  product: Stripe.Product;
  price: Stripe.Price;
  coupon: Stripe.Coupon;
  promotion_code: Stripe.PromotionCode;
  discount: Stripe.Discount;
  customer: Stripe.Customer | Stripe.DeletedCustomer;
  payment_method: Stripe.PaymentMethod;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  "checkout.session": Stripe.Checkout.Session;
  subscription: Stripe.Subscription;
  invoice: Stripe.Invoice;
  invoice_payment: Stripe.InvoicePayment;
  "billing_portal.configuration": Stripe.BillingPortal.Configuration;
  "billing_portal.session": Stripe.BillingPortal.Session;
  webhook_endpoint: Stripe.WebhookEndpoint;
  event: Stripe.Event;

  /** By coupon: what it is good for, where that is not everything. */
  coupon_products: { products: string[] };
  /** By checkout session. */
  checkout: CheckoutDetails;
  /** By subscription: what the next invoice adds. */
  pending_lines: { lines: Line[] };
  /** By payment: a debit on its way. */
  debit: { clearsAt: number };
  /** By webhook endpoint. */
  signing_secret: { secret: string };
  delivery: Delivery;
  /** By idempotency key. */
  answer: KeptAnswer;
  setting: Settings;
}

export type Kind = keyof Records;
type Write = [kind: Kind, id: string, value: Records[Kind] | null];

/**
 * Keeps the objects in memory and, with a file, in a journal: a change is one line, appended when it is
 * whole, so a process that is killed loses at most the change it was writing. Opening reads the journal and
 * writes it anew without what is outdated.
 */
export class Store {
  readonly #kinds = new Map<Kind, Map<string, Records[Kind]>>();
  readonly #file: string | undefined;
  #change: { writes: Write[]; undo: (() => void)[] } | undefined;

  constructor(file?: string) {
    this.#file = file;
    if (!file) return;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    if (existsSync(file)) this.#read(file);
    this.#rewrite(file);
  }

  /** Makes a change as a whole: when the work throws, nothing of it stays. A change within one is part of it. */
  change<Result>(work: () => Result): Result {
    if (this.#change) return work();
    const change = (this.#change = { writes: [] as Write[], undo: [] as (() => void)[] });
    try {
      const result = work();
      if (this.#file && change.writes.length > 0) append(this.#file, change.writes);
      return result;
    } catch (problem) {
      for (const undo of change.undo.reverse()) undo();
      throw problem;
    } finally {
      this.#change = undefined;
    }
  }

  find<K extends Kind>(kind: K, id: string): Records[K] | undefined {
    return this.#of(kind).get(id);
  }

  /** All of a kind, the newest first. */
  all<K extends Kind>(kind: K): Records[K][] {
    return [...this.#of(kind).values()].reverse();
  }

  /** Only within `change`. What is put is frozen: an object changes by putting another in its place. */
  put<K extends Kind, V extends Records[K]>(kind: K, id: string, value: V): V {
    this.#write(kind, id, freeze(value));
    return value;
  }

  remove(kind: Kind, id: string): void {
    this.#write(kind, id, null);
  }

  #of<K extends Kind>(kind: K): Map<string, Records[K]> {
    const known = this.#kinds.get(kind);
    const records = known ?? new Map<string, Records[Kind]>();
    if (!known) this.#kinds.set(kind, records);
    return records as Map<string, Records[K]>;
  }

  #write(kind: Kind, id: string, value: Records[Kind] | null): void {
    if (!this.#change) throw new Error(`${kind} ${id} was written outside of a change.`);
    const records = this.#of<Kind>(kind);
    const before = records.get(id);
    this.#change.undo.push(() => (before ? records.set(id, before) : records.delete(id)));
    this.#change.writes.push([kind, id, value]);
    if (value) records.set(id, value);
    else records.delete(id);
  }

  #read(file: string): void {
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    lines.forEach((line, index) => {
      let writes: Write[];
      try {
        writes = JSON.parse(line) as Write[];
      } catch {
        // The last change of a process that was killed while it wrote: it was not answered either.
        if (index === lines.length - 1) return;
        throw new Error(
          `${file} is damaged in line ${index + 1}. \`npm run reset\` begins again with fresh demo data.`,
        );
      }
      for (const [kind, id, value] of writes) {
        if (value) this.#of(kind).set(id, freeze(value));
        else this.#of(kind).delete(id);
      }
    });
  }

  #rewrite(file: string): void {
    const writes = [...this.#kinds].flatMap(([kind, records]) =>
      [...records].map(([id, value]): Write => [kind, id, value]),
    );
    const lines = writes.map((write) => `${JSON.stringify([write])}\n`).join("");
    writeFileSync(`${file}.new`, lines, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}

function append(file: string, writes: Write[]): void {
  appendFileSync(file, `${JSON.stringify(writes)}\n`, { mode: 0o600 });
}

function freeze<V>(value: V): V {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
