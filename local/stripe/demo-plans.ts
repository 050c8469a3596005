import type { Stripe } from "stripe";

import { findPlan } from "~/modules/billing/catalog";

import type { Account } from "./account";
import { billNow } from "./billing-cycle";
import { createCustomer } from "./customers";
import { moveClock } from "./passing-time";
import { attachMethod, createMethod } from "./payment-methods";
import { createSubscription, periodLines } from "./subscriptions";

/** A plan of the demo data, as the dashboard's database has it. */
export interface DemoPlan {
  id: string;
  customer: string;
  email: string;
  lookupKey: string;
  /** When it began, in milliseconds. */
  since: number;
  /** Whether its card has run out since. */
  failing: boolean;
  metadata: Record<string, string>;
}

/** The plans of the demo data's Featured listings, by what the database tells of them. */
export async function demoPlans(
  sql: (query: string) => Promise<Record<string, unknown>[]>,
): Promise<DemoPlan[]> {
  const rows = await sql(
    `select s.id, s.stripe_customer_id as customer, p.email, o.plan, extract(epoch from s.started_at) * 1000 as since, s.status,
       o.id as order_id, o.place_id, p.id as person
     from public.subscriptions s join public.orders o on o.id = s.order_id join public.profiles p on p.id = s.owner
     where starts_with(s.id, 'sub_demo_')`,
  );
  return rows.map((row) => ({
    id: row["id"] as string,
    customer: row["customer"] as string,
    email: row["email"] as string,
    lookupKey: findPlan(row["plan"])!.lookupKey,
    since: Number(row["since"]),
    failing: row["status"] === "past_due",
    metadata: {
      order: row["order_id"] as string,
      place_id: String(row["place_id"]),
      user: row["person"] as string,
    },
  }));
}

/**
 * Gives a new account the plans of the demo data, with the bills that have come since they began. They are
 * lived through from the first to today, so it has to be done before anybody is told of events.
 */
export function seedDemoPlans(account: Account, plans: DemoPlan[]): void {
  if (plans.length === 0 || account.store.all("subscription").length > 0) return;
  const { aheadMs } = account.settings;
  const [first] = plans.sort((one, other) => one.since - other.since);
  account.store.change(() => {
    account.changeSettings({ aheadMs: first!.since - Date.now() });
    for (const plan of plans) {
      moveClock(account, Math.max(0, plan.since - account.nowMs));
      begin(account, plan);
    }
    moveClock(account, Math.max(0, Date.now() + aheadMs - account.nowMs));
  });
}

function begin(account: Account, plan: DemoPlan): void {
  const customer =
    (account.store.find("customer", plan.customer) as Stripe.Customer | undefined) ??
    createCustomer(account, {
      id: plan.customer,
      email: plan.email,
      metadata: plan.metadata["user"] ? { user: plan.metadata["user"] } : {},
    });
  const card = attachMethod(
    account,
    createMethod(account, plan.failing ? "fails_later" : "ok", customer),
    customer.id,
  );
  const price = account.store
    .all("price")
    .find((one) => one.lookup_key === plan.lookupKey && one.active)!;
  const subscription = createSubscription(account, {
    id: plan.id,
    customer: customer.id,
    card: card.id,
    items: [{ price, quantity: 1 }],
    metadata: plan.metadata,
  });
  billNow(
    account,
    subscription,
    "subscription_create",
    periodLines(account, subscription),
    "has confirmed",
  );
}
