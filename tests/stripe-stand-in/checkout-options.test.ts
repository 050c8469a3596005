/** What a checkout can be told: which ways to pay it takes, invoices, and tax. */
import type { Stripe } from "stripe";
import { afterEach, describe, expect, it } from "vitest";

import { startTestStripe } from "../support/stripe";

const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, body: "" }));
const { sdk } = stripe;
const {
  data: [monthly],
} = await sdk.prices.list({ lookup_keys: ["featured_monthly"], active: true });
const DAY_MS = 24 * 3_600_000;

type Params = Stripe.Checkout.SessionCreateParams;

async function create(changes: Partial<Params> = {}): Promise<Stripe.Checkout.Session> {
  const customer = changes.customer ?? (await sdk.customers.create({ email: "a@example.test" })).id;
  return sdk.checkout.sessions.create({
    mode: "payment",
    success_url: "http://app.test/",
    line_items: [
      { quantity: 2, price_data: { currency: "usd", unit_amount: 500, product: "job" } },
    ],
    ...changes,
    customer,
  });
}

const PLAN: Partial<Params> = {
  mode: "subscription",
  line_items: [{ price: monthly!.id, quantity: 1 }],
};

describe("the ways to pay", () => {
  it("are all that the account offers", async () => {
    const session = await create();
    expect(session).toMatchObject({
      allowed_payment_method_types: null,
      payment_method_types: ["card", "us_bank_account"],
      adaptive_pricing: { enabled: true },
    });
    expect(await (await fetch(session.url!)).text()).toContain("A bank account");
  });

  it("are only those that the session allows", async () => {
    const session = await create({
      allowed_payment_method_types: ["card", "link"],
      adaptive_pricing: { enabled: false },
    });
    expect(session).toMatchObject({
      allowed_payment_method_types: ["card", "link"],
      payment_method_types: ["card"],
      adaptive_pricing: { enabled: false },
    });
    const page = await (await fetch(session.url!)).text();
    expect(page).toContain("A card that works");
    expect(page).not.toContain("A bank account");
    await expect(stripe.pay(session.url!, { card: "debit" })).rejects.toThrow(
      "doesn’t accept that payment method",
    );
    await stripe.pay(session.url!);
    expect(stripe.session(session.id)).toMatchObject({ payment_status: "paid" });
  });

  it.each([
    ["none that is eligible", { allowed_payment_method_types: ["klarna"] }, /No valid payment/],
    ["one that does not exist", { allowed_payment_method_types: ["cash"] }, /Invalid allowed_pay/],
    [
      "the parameter of earlier versions",
      { payment_method_types: ["card"] },
      /unknown parameter: payment_method_types/,
    ],
  ])("cannot be %s", async (_what, changes, message) => {
    await expect(create(changes as Partial<Params>)).rejects.toThrow(message);
  });
});

describe("the invoice of a one-time payment", () => {
  const INVOICE: Partial<Params> = {
    invoice_creation: {
      enabled: true,
      invoice_data: {
        description: "Newsletter dates",
        custom_fields: [{ name: "Order", value: "1234" }],
        metadata: { order: "1" },
      },
    },
  };

  it("is there once it is paid, with its payment", async () => {
    const session = await create({ ...INVOICE, discounts: [{ coupon: "demo_half" }] });
    expect(session).toMatchObject({ invoice: null, invoice_creation: { enabled: true } });
    await stripe.pay(session.url!, { name: "Fern & Flour" });
    const paid = await sdk.checkout.sessions.retrieve(session.id, { expand: ["invoice.payments"] });
    const invoice = paid.invoice as Stripe.Invoice;
    expect(invoice).toMatchObject({
      status: "paid",
      billing_reason: "manual",
      parent: null,
      number: expect.stringMatching(/^\w{8}-0001$/),
      subtotal: 1000,
      total: 500,
      amount_paid: 500,
      amount_remaining: 0,
      description: "Newsletter dates",
      custom_fields: [{ name: "Order", value: "1234" }],
      metadata: { order: "1" },
      lines: { data: [{ amount: 1000, quantity: 2, parent: { type: "invoice_item_details" } }] },
    });
    expect(invoice.payments!.data).toMatchObject([
      { status: "paid", amount_paid: 500, payment: { payment_intent: paid.payment_intent } },
    ]);
    expect(await (await fetch(invoice.hosted_invoice_url!)).text()).toContain("$5.00");
    const found = await sdk.invoicePayments.list({
      payment: { type: "payment_intent", payment_intent: paid.payment_intent as string },
    });
    expect(found.data).toMatchObject([{ invoice: invoice.id }]);
  });

  it("of a bank debit is there once the money has arrived", async () => {
    const session = await create(INVOICE);
    await stripe.pay(session.url!, { card: "debit" });
    expect(stripe.session(session.id)).toMatchObject({ invoice: null, payment_status: "unpaid" });
    await stripe.advanceClock(3 * DAY_MS);
    const { invoice } = stripe.session(session.id);
    expect(await sdk.invoices.retrieve(invoice as string)).toMatchObject({ status: "paid" });
    expect(stripe.events("checkout.session.async").at(-1)!.data.object).toMatchObject({ invoice });
  });

  it("is not made for a payment that does not ask for it, and not for a plan", async () => {
    const session = await create();
    await stripe.pay(session.url!);
    expect(stripe.session(session.id).invoice).toBeNull();
    await expect(create({ ...PLAN, ...INVOICE })).rejects.toMatchObject({
      param: "invoice_creation",
    });
  });

  it("leaves the credit of the customer alone", async () => {
    const session = await create(INVOICE);
    const customer = session.customer as string;
    stripe.account.store.transaction(() =>
      stripe.account.store.put("customer", customer, {
        ...stripe.account.customer(customer),
        balance: -700,
      }),
    );
    await stripe.pay(session.url!);
    expect(await sdk.customers.retrieve(customer)).toMatchObject({ balance: -700 });
  });
});

describe("the invoices of an account", () => {
  it("are listed by subscription, customer, and status, page by page", async () => {
    const session = await create(PLAN);
    await stripe.pay(session.url!);
    const { subscription, customer } = stripe.session(session.id) as {
      subscription: string;
      customer: string;
    };
    await stripe.renew(subscription);
    await stripe.renew(subscription, "declined");
    const list = async (params: Stripe.InvoiceListParams) =>
      (await sdk.invoices.list(params)).data.map(({ status }) => status);
    expect(await list({ subscription })).toEqual(["open", "paid", "paid"]);
    expect(await list({ customer, status: "open" })).toEqual(["open"]);
    expect(await list({ subscription: "sub_gone" })).toEqual([]);
    const first = await sdk.invoices.list({ subscription, limit: 1 });
    expect(first.has_more).toBe(true);
    expect(
      await list({ subscription, starting_after: first.data[0]!.id, status: "paid" }).catch(
        (error: Error) => error.message,
      ),
    ).toMatch(/No such object/);
    const { latest_invoice } = await sdk.subscriptions.retrieve(subscription, {
      expand: ["latest_invoice.payments"],
    });
    expect(latest_invoice).toMatchObject({
      status: "open",
      payments: { data: [{ status: "open" }] },
    });
  });

  it("have charges, listed by customer and time", async () => {
    const session = await create();
    await stripe.pay(session.url!, { card: "declined" });
    await stripe.pay(session.url!);
    const customer = session.customer as string;
    const { data } = await sdk.charges.list({ customer, expand: ["data.payment_intent"] });
    expect(data).toMatchObject([
      { status: "succeeded", amount: 1000, payment_intent: { status: "succeeded" } },
      { status: "failed", payment_intent: { status: "succeeded" } },
    ]);
    const gte = data[0]!.created + 1;
    expect((await sdk.charges.list({ customer, created: { gte } })).data).toEqual([]);
    expect(await sdk.charges.retrieve(data[0]!.id)).toMatchObject({ amount: 1000 });
  });
});

describe("tax", () => {
  afterEach(() => stripe.setTax(0));
  const TAXED: Partial<Params> = {
    automatic_tax: { enabled: true },
    tax_id_collection: { enabled: true },
    customer_update: { address: "auto", name: "auto" },
  };

  it("is added by the address, which is saved with the name, and the tax id is kept", async () => {
    stripe.setTax(8.5);
    const session = await create({ ...TAXED, invoice_creation: { enabled: true } });
    expect(session).toMatchObject({
      amount_total: 1000,
      automatic_tax: { enabled: true, status: "requires_location_inputs" },
    });
    await stripe.pay(session.url!, { name: "Fern & Flour LLC", taxId: "12-3456789" });
    const paid = await sdk.checkout.sessions.retrieve(session.id, {
      expand: ["customer", "invoice", "payment_intent", "line_items"],
    });
    expect(paid).toMatchObject({
      amount_subtotal: 1000,
      amount_total: 1085,
      automatic_tax: { status: "complete" },
      total_details: { amount_tax: 85 },
      customer_details: {
        business_name: "Fern & Flour LLC",
        address: { postal_code: "94105" },
        tax_ids: [{ type: "us_ein", value: "12-3456789" }],
      },
      customer: { name: "Fern & Flour LLC", address: { city: "San Francisco" } },
      invoice: { subtotal: 1000, total: 1085, total_taxes: [{ amount: 85 }] },
      payment_intent: { amount_received: 1085 },
      line_items: { data: [{ amount_tax: 85, amount_total: 1085 }] },
    });
  });

  it("is added to each bill of a plan", async () => {
    stripe.setTax(10);
    const session = await create({ ...PLAN, ...TAXED });
    await stripe.pay(session.url!);
    const subscription = stripe.session(session.id).subscription as string;
    await stripe.renew(subscription);
    const { data } = await sdk.invoices.list({ subscription });
    expect(data.map(({ amount_paid }) => amount_paid)).toEqual([5390, 5390]);
  });

  it("needs an address, and a tax id a name, that the customer has or that update them", async () => {
    const { automatic_tax, tax_id_collection } = TAXED;
    await expect(create({ automatic_tax })).rejects.toMatchObject({
      code: "customer_tax_location_invalid",
    });
    await expect(
      create({ tax_id_collection, customer_update: { address: "auto" } }),
    ).rejects.toThrow("`customer_update[name]` to `auto`");
    const address = { country: "US", postal_code: "94105" };
    const customer = (await sdk.customers.create({ address })).id;
    await create({ automatic_tax, customer });
    const session = await create({ ...TAXED });
    await expect(stripe.pay(session.url!, { address: {} })).rejects.toThrow("billing address");
    expect(stripe.session(session.id).status).toBe("open");
  });

  it("is not asked for by a checkout that does not calculate any", async () => {
    stripe.setTax(8.5);
    const session = await create();
    expect(await (await fetch(session.url!)).text()).not.toContain("Billing address");
    await stripe.pay(session.url!);
    expect(stripe.session(session.id)).toMatchObject({
      amount_total: 1000,
      customer_details: { address: null },
    });
  });
});
