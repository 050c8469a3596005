import { expect, it } from "vitest";

import { readDemoSales, recordDemoPayments, seedDemoSales } from "../../local/stripe/demo-sales";
import { startDatabase } from "../database/support/data-api";
import { startTestStripe } from "../support/stripe";

const { sql } = await startDatabase({ seed: "demo" });
const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, body: "" }));

const sales = await readDemoSales(sql);
stripe.pauseWebhooks();
// As at the second start of a folder, too.
seedDemoSales(stripe.account, sales);
seedDemoSales(stripe.account, sales);

it("has the subscriptions of the demo data as the database has them, with their invoices", async () => {
  const featured = await sql(
    `select s.id, s.status, s.stripe_customer_id as customer, l.stripe_subscription_id, l.stripe_cus_id, l.subscription_status,
       o.unit_price_cents as cents, extract(epoch from s.started_at)::int as since
     from public.places l left join public.subscriptions s on s.place_id = l.id left join public.orders o on o.id = s.order_id where l.premium`,
  );
  expect(featured.length).toBeGreaterThanOrEqual(5);
  for (const row of featured) {
    const subscription = await stripe.sdk.subscriptions.retrieve(row["id"] as string);
    expect(subscription).toMatchObject({
      status: row["status"],
      customer: row["customer"],
      start_date: row["since"],
    });
    expect(subscription.items.data[0]!.price.unit_amount).toBe(row["cents"]);
    expect(subscription.items.data[0]!.current_period_end * 1000).toBeGreaterThan(Date.now());
    expect(row).toMatchObject({
      stripe_subscription_id: row["id"],
      stripe_cus_id: row["customer"],
      subscription_status: row["status"],
    });
    const newest = stripe.account.get("invoice", subscription.latest_invoice as string);
    expect(newest.status).toBe(row["status"] === "past_due" ? "open" : "paid");
  }
  expect(stripe.account.store.all("customer")).toHaveLength(2);
  expect(stripe.account.settings.clockOffsetMs).toBeLessThan(1_000);
});

it("has each payment of the demo data at Stripe and in the database, and none is news to anyone", async () => {
  for (let start = 1; start <= 2; start += 1) await recordDemoPayments(stripe.account, sql);

  const paid = await sql("select id, kind, cents::int, invoice_id from public.payments");
  expect(new Set(paid.map(({ kind }) => kind))).toEqual(new Set(["job", "sponsorship", "upgrade"]));
  for (const { id, cents, invoice_id: invoice } of paid) {
    const intent = await stripe.sdk.paymentIntents.retrieve(id as string, {
      expand: ["latest_charge"],
    });
    expect(intent).toMatchObject({ status: "succeeded", amount: cents });
    if (!invoice) {
      expect(intent.latest_charge).toMatchObject({ receipt_url: expect.any(String) });
      // By it, the dashboard finds the payment again, to check or refund it.
      const [order] = await sql(
        "select stripe_checkout_session_id as id from public.orders where stripe_payment_intent_id = $1",
        [id],
      );
      expect(await stripe.sdk.checkout.sessions.retrieve(String(order!["id"]))).toMatchObject({
        payment_intent: id,
        payment_status: "paid",
        amount_total: cents,
      });
    } else expect((await stripe.sdk.invoices.retrieve(invoice as string)).status).toBe("paid");
  }
  expect(stripe.account.store.all("charge").filter((charge) => charge.paid)).toHaveLength(
    paid.length,
  );
  expect(
    await sql(
      "select o.id from public.orders o where o.status = 'paid' and not exists (select from public.payments p where p.order_id = o.id)",
    ),
  ).toEqual([]);
  expect(await sql("select kind from private.email_queue where kind like '%payment%'")).toEqual([]);
});

/** Cents, every so many months. */
const PRICES = [
  "monthly_bipoc: 2900 every 1",
  "six_months: 21600 every 6",
  "twelve_months: 40800 every 12",
];

it("says what each plan of the demo data costs, and when it is charged next", async () => {
  await recordDemoPayments(stripe.account, sql);
  const plans = await sql(
    "select id, plan, cents::int, months, status, period_to, next_attempt_at from public.subscriptions",
  );
  expect(plans.length).toBeGreaterThan(2);
  for (const { id, plan, cents, months, status, period_to, next_attempt_at } of plans) {
    expect(PRICES).toContain(`${String(plan)}: ${String(cents)} every ${String(months)}`);
    const { items } = await stripe.sdk.subscriptions.retrieve(id as string);
    expect(Date.parse(String(period_to))).toBe(items.data[0]!.current_period_end * 1000);
    expect(next_attempt_at !== null).toBe(status === "past_due");
  }
});
