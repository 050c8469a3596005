/** A plan that is paid by bank debit: it is active while its money is on its way. */
import type { Stripe } from "stripe";
import { beforeEach, expect, it } from "vitest";

import type { TestMethodName } from "../../local/stripe/payment-methods";
import { startTestStripe } from "../support/stripe";

const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, body: "" }));
const { sdk } = stripe;
const {
  data: [monthly],
} = await sdk.prices.list({ lookup_keys: ["featured_monthly"], active: true });
const DAY_MS = 24 * 3_600_000;

let eventsBefore = 0;
beforeEach(() => {
  eventsBefore = stripe.events().length;
});
const eventTypes = (): string[] =>
  stripe
    .events()
    .slice(eventsBefore)
    .map(({ type }) => type);

async function subscribe(card: TestMethodName) {
  const customer = (await sdk.customers.create({ email: "owner@example.test" })).id;
  const session = await sdk.checkout.sessions.create({
    mode: "subscription",
    customer,
    success_url: "http://app.test/",
    line_items: [{ price: monthly!.id, quantity: 1 }],
  });
  await stripe.pay(session.url!, { card });
  const { subscription, invoice } = stripe.session(session.id);
  return { session: session.id, subscription: subscription as string, invoice: invoice as string };
}

it("is active at once, and its first invoice is paid days later", async () => {
  const { session, subscription, invoice } = await subscribe("debit");
  expect(stripe.session(session)).toMatchObject({ status: "complete", payment_status: "unpaid" });
  expect(stripe.subscription(subscription).status).toBe("active");
  expect(await sdk.invoices.retrieve(invoice)).toMatchObject({
    status: "open",
    attempted: true,
    next_payment_attempt: null,
  });
  expect(eventTypes()).not.toContain("invoice.payment_failed");
  expect(eventTypes()).not.toContain("invoice.paid");

  await stripe.advanceClock(3 * DAY_MS);

  expect(await sdk.invoices.retrieve(invoice)).toMatchObject({ status: "paid", amount_paid: 4900 });
  expect(stripe.session(session).payment_status).toBe("paid");
  expect(eventTypes().slice(-6)).toEqual([
    "charge.succeeded",
    "payment_intent.succeeded",
    "invoice_payment.paid",
    "invoice.paid",
    "invoice.payment_succeeded",
    "checkout.session.async_payment_succeeded",
  ]);
});

it("is past due when the debit fails, and ends when all retries have failed", async () => {
  const { session, subscription, invoice } = await subscribe("debit_fails");
  await stripe.advanceClock(3 * DAY_MS);
  expect(stripe.subscription(subscription).status).toBe("past_due");
  expect(stripe.session(session).payment_status).toBe("unpaid");
  expect(eventTypes()).toContain("checkout.session.async_payment_failed");
  expect(await sdk.invoices.retrieve(invoice)).toMatchObject({
    status: "open",
    attempt_count: 1,
    next_payment_attempt: expect.any(Number),
  });

  await stripe.advanceClock(60 * DAY_MS);

  expect(stripe.subscription(subscription).status).toBe("canceled");
  const failed = eventTypes().filter((type) => type === "invoice.payment_failed");
  expect(failed.length).toBeGreaterThan(2);
});

it("that failed is fixed with a card", async () => {
  const { subscription, invoice } = await subscribe("debit_fails");
  await stripe.advanceClock(3 * DAY_MS);
  await stripe.fixCard(subscription);
  expect(stripe.subscription(subscription).status).toBe("active");
  expect(await sdk.invoices.retrieve(invoice)).toMatchObject({ status: "paid" });
});

it("renews by another debit, which cannot be paid a second time while it is on its way", async () => {
  const { subscription } = await subscribe("debit");
  await stripe.advanceClock(3 * DAY_MS);
  await stripe.renew(subscription);
  const [latest] = (await sdk.invoices.list({ subscription })).data as [Stripe.Invoice];
  expect(latest).toMatchObject({ status: "open", billing_reason: "subscription_cycle" });
  const page = await fetch(`${latest.hosted_invoice_url!}/pay`, { method: "POST" });
  expect(await page.text()).toContain("is on its way");
  await stripe.fixCard(subscription);
  expect(await sdk.invoices.retrieve(latest.id)).toMatchObject({ status: "open" });
  await stripe.advanceClock(3 * DAY_MS);
  expect(await sdk.invoices.retrieve(latest.id)).toMatchObject({ status: "paid" });
  expect(stripe.subscription(subscription).status).toBe("active");
});

it("whose subscription was canceled is still debited", async () => {
  const { subscription, invoice } = await subscribe("debit");
  await stripe.cancelNow(subscription);
  await stripe.advanceClock(3 * DAY_MS);
  expect(stripe.subscription(subscription).status).toBe("canceled");
  expect(await sdk.invoices.retrieve(invoice)).toMatchObject({ status: "paid" });
});
