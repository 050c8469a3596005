/** Stripe's published limits: what is just within each is taken, and what is just beyond is not. */
import type { Stripe } from "stripe";
import { describe, expect, it, vi } from "vitest";

import { startTestStripe } from "../support/stripe";

const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, body: "" }));
const { sdk } = stripe;
const customer = await sdk.customers.create({ email: "owner@example.test" });
const {
  data: [monthly],
} = await sdk.prices.list({ lookup_keys: ["featured_monthly"] });

type Params = Stripe.Checkout.SessionCreateParams;

const item = (cents: number, quantity = 1) => ({
  quantity,
  price_data: { currency: "usd", unit_amount: cents, product: "job" },
});
const payment = (changes: Partial<Params> = {}): Promise<unknown> =>
  sdk.checkout.sessions.create({
    mode: "payment",
    customer: customer.id,
    success_url: "http://app.test/jobs",
    line_items: [item(500)],
    ...changes,
  });
const plan = (changes: Partial<Params> = {}): Promise<unknown> =>
  sdk.checkout.sessions.create({
    mode: "subscription",
    customer: customer.id,
    success_url: "http://app.test/upgrade",
    line_items: [{ price: monthly!.id, quantity: 1 }],
    ...changes,
  });
const keys = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));
const suffix = (text: string) =>
  payment({ payment_intent_data: { statement_descriptor_suffix: text } });

interface Limit {
  what: string;
  within: () => Promise<unknown>;
  beyond: () => Promise<unknown>;
}

const LIMITS: Limit[] = [
  {
    what: "half a dollar at least",
    within: () => payment({ line_items: [item(50)] }),
    beyond: () => payment({ line_items: [item(49)] }),
  },
  {
    what: "$999,999.99 at most",
    within: () => payment({ line_items: [item(99_999_999)] }),
    beyond: () => payment({ line_items: [item(33_333_334, 3)] }),
  },
  {
    what: "100 items",
    within: () => payment({ line_items: Array.from({ length: 100 }, () => item(500)) }),
    beyond: () => payment({ line_items: Array.from({ length: 101 }, () => item(500)) }),
  },
  {
    what: "50 keys of metadata",
    within: () => payment({ metadata: keys(50) }),
    beyond: () => payment({ metadata: keys(51) }),
  },
  {
    what: "40 characters in a key of metadata",
    within: () => payment({ metadata: { ["k".repeat(40)]: "v" } }),
    beyond: () => payment({ metadata: { ["k".repeat(41)]: "v" } }),
  },
  {
    what: "500 characters in a value of metadata",
    within: () => payment({ metadata: { k: "v".repeat(500) } }),
    beyond: () => payment({ metadata: { k: "v".repeat(501) } }),
  },
  {
    what: "500 characters in the metadata of a plan",
    within: () => plan({ subscription_data: { metadata: { k: "v".repeat(500) } } }),
    beyond: () => plan({ subscription_data: { metadata: { k: "v".repeat(501) } } }),
  },
  {
    what: "500 characters in the description of a plan",
    within: () => plan({ subscription_data: { description: "d".repeat(500) } }),
    beyond: () => plan({ subscription_data: { description: "d".repeat(501) } }),
  },
  {
    what: "200 characters in a reference",
    within: () => payment({ client_reference_id: "r".repeat(200) }),
    beyond: () => payment({ client_reference_id: "r".repeat(201) }),
  },
  {
    what: "22 characters on a statement, with a prefix of ten",
    within: () => suffix("S".repeat(10)),
    beyond: () => suffix("S".repeat(11)),
  },
  { what: "a letter on a statement", within: () => suffix("2B"), beyond: () => suffix("22") },
  ...["<", ">", "\\", "'", '"', "*"].map((character) => ({
    what: `no ${character} on a statement`,
    within: () => suffix("ORDER"),
    beyond: () => suffix(`OR${character}DER`),
  })),
  {
    what: "four fields on an invoice",
    within: () => payment({ invoice_creation: invoiceWith(4) }),
    beyond: () => payment({ invoice_creation: invoiceWith(5) }),
  },
  {
    what: "255 characters in an idempotency key",
    within: () => sdk.customers.create({}, { idempotencyKey: "k".repeat(255) }),
    beyond: () => sdk.customers.create({}, { idempotencyKey: "k".repeat(256) }),
  },
  {
    what: "100 objects on a page",
    within: () => sdk.charges.list({ limit: 100 }),
    beyond: () => sdk.charges.list({ limit: 101 }),
  },
  {
    what: "ten lookup keys",
    within: () => sdk.prices.list({ lookup_keys: Array.from({ length: 10 }, String) }),
    beyond: () => sdk.prices.list({ lookup_keys: Array.from({ length: 11 }, String) }),
  },
];

function invoiceWith(fields: number): Stripe.Checkout.SessionCreateParams.InvoiceCreation {
  const custom_fields = Array.from({ length: fields }, (_, index) => ({
    name: `Field ${index}`,
    value: "v",
  }));
  return { enabled: true, invoice_data: { custom_fields } };
}

describe("the API allows", () => {
  it.each(LIMITS)("$what", async ({ within, beyond }) => {
    await within();
    await expect(beyond()).rejects.toMatchObject({ statusCode: 400 });
  });

  // The clock stands still, so that a slow machine does not pass the limit by itself.
  it.each([
    { what: "30 minutes", within: 1800, beyond: 1799 },
    { what: "24 hours", within: 86_400, beyond: 86_401 },
  ])("an expiry in $what, to the second", async ({ within, beyond }) => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date() });
    try {
      const now = Math.floor(Date.now() / 1000);
      await payment({ expires_at: now + within });
      await expect(payment({ expires_at: now + beyond })).rejects.toMatchObject({
        param: "expires_at",
      });
    } finally {
      vi.useRealTimers();
    }
  });
});
