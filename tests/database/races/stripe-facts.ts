/** What Stripe knows of the checkouts, subscriptions, and refunds, which change there, and what it tells our server. */
import { setTimeout as sleep } from "node:timers/promises";

import type { Random } from "../../support/random";

import { asServer, type startMigratedPostgres } from "../support/real-postgres";

type Sql = Awaited<ReturnType<typeof startMigratedPostgres>>["sql"];

interface Checkout {
  id: string;
  order: string;
  cents: number;
  state: "open" | "processing" | "paid" | "failed" | "expired";
  /** The status of the subscription that it began; null without one. */
  subscription: string | null;
  isPlan: boolean;
  dispute: "open" | "won" | "lost" | null;
  startedAt: string;
}
interface Refund {
  id: string;
  checkout: Checkout;
  cents: number;
  status: "pending" | "succeeded" | "failed";
  /** The refund of ours and its attempt; null for one that was made at Stripe. */
  ours: { refund: string; attempt: string } | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function startStripe(sql: Sql) {
  const checkouts = new Map<string, Checkout>();
  const refunds = new Map<string, Refund>();
  let ids = 0;

  const refundsOf = (checkout: Checkout) =>
    [...refunds.values()].filter((refund) => refund.checkout === checkout);
  const refundable = (checkout: Checkout) =>
    refundsOf(checkout)
      .filter(({ status }) => status !== "failed")
      .reduce((left, { cents }) => left - cents, checkout.cents);

  const paymentOf = (checkout: Checkout) => ({
    id: `pi_${checkout.id}`,
    reason: "purchase",
    cents: checkout.cents,
    currency: "usd",
    paid_at: checkout.startedAt,
    dispute: checkout.dispute && {
      state: checkout.dispute,
      cents: checkout.cents,
      opened_at: checkout.startedAt,
    },
    refunds: refundsOf(checkout).map(({ id, cents, status, ours }) => ({
      id,
      cents,
      status,
      made_at: checkout.startedAt,
      refund: ours?.refund ?? null,
      attempt: ours?.attempt ?? null,
    })),
  });
  const factsOf = (checkout: Checkout) => ({
    session: {
      id: checkout.id,
      state: checkout.state,
      subtotal_cents: checkout.cents,
      paid_cents: checkout.cents,
      currency: "usd",
      payment_intent: checkout.isPlan ? null : `pi_${checkout.id}`,
      customer: "cus_1",
    },
    ...(checkout.subscription && {
      subscription: {
        id: `sub_${checkout.id}`,
        status: checkout.subscription,
        customer: "cus_1",
        started_at: checkout.startedAt,
        plan: "monthly",
        cents: checkout.cents,
        months: 1,
        period_from: checkout.startedAt,
        period_to: new Date(Date.parse(checkout.startedAt) + 30 * DAY_MS).toISOString(),
      },
    }),
    payments: checkout.state === "paid" ? [paymentOf(checkout)] : [],
  });

  /** Records a checkout as the app does: asks what is stored, asks Stripe, and again if something changed meanwhile. */
  async function record(checkout: Checkout, random?: Random): Promise<void> {
    const subscription = checkout.subscription && `sub_${checkout.id}`;
    for (let tries = 0; tries < 6; tries += 1) {
      const [found] = await asServer(
        sql,
        (db) => db`
          select public.payment_target(null, ${checkout.order}, ${checkout.id}, ${subscription}, null) as target`,
      );
      const target = found!["target"] as { seen: number; order: string } | null;
      if (!target) return;
      const facts = JSON.stringify(factsOf(checkout));
      if (random) await sleep(random.number() * 10);
      const [recorded] = await asServer(
        sql,
        (db) => db`
          select public.record_payment(${target.order}, ${subscription}, ${target.seen}, ${facts}::text::jsonb, null)
            as outcome`,
      );
      if (!(recorded!["outcome"] as { again?: boolean }).again) return;
    }
  }

  return {
    checkouts,
    refunds,
    refundable,
    record,
    nextId: (kind: string) => `${kind}_${(ids += 1)}`,
    openCheckout: (id: string, order: string, cents: number, isPlan: boolean) =>
      void checkouts.set(id, {
        id,
        order,
        cents,
        isPlan,
        state: "open",
        subscription: null,
        dispute: null,
        startedAt: new Date().toISOString(),
      }),
  };
}
