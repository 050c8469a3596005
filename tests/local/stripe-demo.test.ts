import { expect, it } from "vitest";

import { readDemoSubscriptions, seedDemoSubscriptions } from "../../local/stripe/seed";
import { startDatabase } from "../database/support/data-api";
import { startTestStripe } from "../support/stripe";

const { sql } = await startDatabase({ seed: "demo" });
const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, body: "" }));

it("has the subscriptions of the demo data as the database has them, with their invoices", async () => {
  const subscriptions = await readDemoSubscriptions(sql);
  stripe.pauseWebhooks();
  seedDemoSubscriptions(stripe.account, subscriptions);
  seedDemoSubscriptions(stripe.account, subscriptions);

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
