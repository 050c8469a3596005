/**
 * What the demo data says was bought: the stand-in for Stripe gets the same subscriptions and payments, and the
 * dashboard's database the payments as Stripe's events would have brought them.
 */
import type { Stripe } from "stripe";

import { findPlan } from "~/modules/billing/catalog";
import { toIsoTime } from "~/modules/billing/stripe-fields";

import type { Account } from "./account";
import { billFirstPeriod } from "./billing";
import { advanceClock } from "./clock";
import { sessionParams } from "./checkout-parameters";
import { createSession } from "./checkout-sessions";
import { createCustomer } from "./customers";
import { paymentsOf } from "./invoices";
import { parseParameters } from "./parameters";
import { confirmPaymentIntent, createPaymentIntent } from "./payment-intents";
import { attachPaymentMethod, createPaymentMethod } from "./payment-methods";
import { createSubscription } from "./subscriptions";

type Sql = (query: string, params?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

interface DemoSale {
  order: string;
  user: string;
  customer: string;
  email: string;
  /** In milliseconds. */
  at: number;
}

/** An order that was paid once, as the dashboard's database has it. */
interface DemoPayment extends DemoSale {
  /** Of its checkout, and of its payment intent. */
  session: string;
  intent: string;
  item: string;
  cents: number;
}

/** A subscription, as the dashboard's database has it. */
interface DemoSubscription extends DemoSale {
  id: string;
  placeId: string;
  lookupKey: string;
  /** Whether its card is declined at the renewal. */
  failing: boolean;
}

export interface DemoSales {
  payments: DemoPayment[];
  subscriptions: DemoSubscription[];
}

/** Reads what was bought from the dashboard's database. */
export async function readDemoSales(sql: Sql): Promise<DemoSales> {
  const rows = await sql(
    `select o.id as order_id, o.stripe_checkout_session_id as session, o.stripe_payment_intent_id as intent,
       o.item_name as item, o.owner, o.stripe_customer_id as customer, p.email, o.place_id, o.plan,
       o.amount_paid_cents as cents, s.id as subscription, s.status,
       extract(epoch from coalesce(s.started_at, o.paid_at)) * 1000 as at
     from public.orders o
     join public.profiles p on p.id = o.owner
     left join public.subscriptions s on s.order_id = o.id
     where o.status = 'paid' and starts_with(o.stripe_customer_id, 'cus_demo_')
       and (starts_with(o.stripe_payment_intent_id, 'pi_demo_') or starts_with(s.id, 'sub_demo_'))
     order by at, o.created_at, o.id`,
  );
  const sales: DemoSales = { payments: [], subscriptions: [] };
  for (const row of rows) {
    const sale = {
      order: row["order_id"] as string,
      user: row["owner"] as string,
      customer: row["customer"] as string,
      email: row["email"] as string,
      at: Number(row["at"]),
    };
    if (row["subscription"] === null)
      sales.payments.push({
        ...sale,
        session: row["session"] as string,
        intent: row["intent"] as string,
        item: row["item"] as string,
        cents: Number(row["cents"]),
      });
    else
      sales.subscriptions.push({
        ...sale,
        id: row["subscription"] as string,
        placeId: String(row["place_id"]),
        lookupKey: findPlan(row["plan"])!.lookupKey,
        failing: row["status"] === "past_due",
      });
  }
  return sales;
}

/**
 * Gives a new account what was bought, with the invoices so far. The clock runs through all that time, so
 * this comes before there is a webhook endpoint.
 * @returns whether the account was new
 */
export function seedDemoSales(account: Account, { payments, subscriptions }: DemoSales): boolean {
  if (subscriptions.length === 0 || account.store.all("subscription").length > 0) return false;
  const { clockOffsetMs } = account.settings;
  const starts = [
    ...payments.map((one) => ({ at: one.at, start: () => makeDemoPayment(account, one) })),
    ...subscriptions.map((one) => ({
      at: one.at,
      start: () => startDemoSubscription(account, one),
    })),
  ].toSorted((one, other) => one.at - other.at);
  account.store.transaction(() => {
    account.changeSettings({ clockOffsetMs: starts[0]!.at - Date.now() });
    for (const { at, start } of starts) {
      advanceClock(account, Math.max(0, at - account.nowMs));
      start();
    }
    advanceClock(account, Math.max(0, Date.now() + clockOffsetMs - account.nowMs));
  });
  return true;
}

function findOrCreateCustomer(account: Account, { customer, email, user }: DemoSale) {
  const known = account.store.find("customer", customer) as Stripe.Customer | undefined;
  return known ?? createCustomer(account, { id: customer, email, metadata: { user } });
}

function makeDemoPayment(account: Account, demo: DemoPayment): void {
  const customer = findOrCreateCustomer(account, demo);
  const intent = createPaymentIntent(account, {
    id: demo.intent,
    amount: demo.cents,
    customer: customer.id,
    metadata: { order: demo.order, user: demo.user },
  });
  confirmPaymentIntent(account, intent, createPaymentMethod(account, "ok", customer), "on_session");
  // Without its checkout, the dashboard could not find or refund it.
  const unitPrice = {
    currency: "usd",
    unit_amount: String(demo.cents),
    product_data: { name: demo.item },
  };
  const checkout = parseParameters(sessionParams, {
    client_reference_id: demo.order,
    metadata: { order: demo.order },
    customer: customer.id,
    line_items: [{ price_data: unitPrice, quantity: "1" }],
    mode: "payment",
    success_url: account.origin,
  });
  const session = createSession(account, checkout, demo.session);
  account.save("checkout.session", {
    ...session,
    payment_intent: intent.id,
    payment_status: "paid",
    status: "complete",
    url: null,
  });
}

function startDemoSubscription(account: Account, demo: DemoSubscription): void {
  const customer = findOrCreateCustomer(account, demo);
  const card = attachPaymentMethod(
    account,
    createPaymentMethod(account, demo.failing ? "fails_later" : "ok", customer),
    customer.id,
  );
  const price = account.store
    .all("price")
    .find((one) => one.lookup_key === demo.lookupKey && one.active)!;
  const subscription = createSubscription(account, {
    id: demo.id,
    customer: customer.id,
    paymentMethod: card.id,
    items: [{ price, quantity: 1 }],
    metadata: { order: demo.order, place_id: demo.placeId, user: demo.user },
  });
  billFirstPeriod(account, subscription);
}

/** Writes into the dashboard's database what was paid so far, unless it is there already. */
export async function recordDemoPayments(account: Account, sql: Sql): Promise<void> {
  const intents = account.store
    .all("payment_intent")
    .filter(({ metadata, status }) => metadata["order"] && status === "succeeded");
  for (const intent of intents) {
    const fact = {
      id: intent.id,
      reason: "purchase",
      cents: intent.amount,
      paid_at: intent.created,
    };
    await record(sql, intent.metadata["order"]!, [fact]);
  }
  for (const subscription of account.store.all("subscription")) {
    const facts = account.store
      .all("invoice")
      .filter(
        ({ parent, status }) =>
          status === "paid" && parent?.subscription_details?.subscription === subscription.id,
      )
      .flatMap((invoice) => toFacts(account, invoice));
    await record(sql, subscription.metadata["order"]!, facts);
    await recordPlan(account, subscription, sql);
  }
}

/** Writes what a demo plan costs, and what happens next with it, unless it is there already. */
async function recordPlan(account: Account, { id, items }: Stripe.Subscription, sql: Sql) {
  const { price, current_period_start: start, current_period_end: end } = items.data[0]!;
  const attempt = account.store
    .all("invoice")
    .find(
      ({ parent, status }) =>
        status === "open" && parent?.subscription_details?.subscription === id,
    )?.next_payment_attempt;
  await sql(
    `update public.subscriptions s set plan = o.plan, cents = $2, months = $3, period_from = $4, period_to = $5,
       next_attempt_at = $6 from public.orders o where s.id = $1 and o.id = s.order_id and s.cents is null`,
    [
      id,
      price.unit_amount,
      price.recurring!.interval_count,
      toIsoTime(start),
      toIsoTime(end),
      attempt ? toIsoTime(attempt) : null,
    ],
  );
}

function toFacts(account: Account, invoice: Stripe.Invoice) {
  const paid = paymentsOf(account, invoice.id).find(({ status }) => status === "paid");
  const period = invoice.lines.data.at(-1)!.period;
  return paid
    ? {
        id: paid.payment.payment_intent as string,
        reason: invoice.billing_reason === "subscription_create" ? "purchase" : "renewal",
        cents: invoice.amount_paid,
        paid_at: invoice.status_transitions.paid_at!,
        invoice: invoice.id,
        number: invoice.number,
        period_from: toIsoTime(period.start),
        period_to: toIsoTime(period.end),
      }
    : [];
}

async function record(sql: Sql, order: string, facts: { paid_at: number }[]): Promise<void> {
  await sql(
    "select private.record_payments(o, o.stripe_subscription_id, null, $2::jsonb) from public.orders o where o.id = $1",
    [
      order,
      JSON.stringify(
        facts.map((fact) => ({ ...fact, currency: "usd", paid_at: toIsoTime(fact.paid_at) })),
      ),
    ],
  );
}
