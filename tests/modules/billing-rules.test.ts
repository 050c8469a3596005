import type Stripe from "stripe";
import { describe, expect, it } from "vitest";

import {
  ITEM_LABELS,
  PLANS,
  findPlan,
  PRODUCTS,
  SPONSORSHIP_NAME,
} from "~/modules/billing/catalog";
import { FIRST_MONTH_CENTS } from "~/modules/billing/prices";
import {
  getCheckoutState,
  getDisputeState,
  getSubscriptionEnd,
  getOrderState,
} from "~/modules/billing/rules";
import { summarizeSubscription } from "~/modules/billing/subscription-summary";

describe("what a checkout has come to", () => {
  it.each([
    ["open", "unpaid", null, null, "open"],
    // A card was declined: it can be tried again, on the same page.
    ["open", "unpaid", "requires_payment_method", null, "open"],
    ["expired", "unpaid", null, null, "expired"],
    ["complete", "paid", "succeeded", null, "paid"],
    ["complete", "no_payment_required", null, null, "paid"],
    ["complete", "unpaid", "processing", null, "processing"],
    ["complete", "unpaid", "requires_payment_method", null, "failed"],
    ["complete", "unpaid", "canceled", null, "failed"],
    ["complete", "unpaid", null, "incomplete", "processing"],
    ["complete", "unpaid", null, "incomplete_expired", "failed"],
    [null, "unpaid", null, null, "open"],
  ] as const)(
    "%s, %s, payment %s, subscription %s: %s",
    (status, payment_status, intent, subscription, state) => {
      expect(getCheckoutState({ status, payment_status }, intent, subscription)).toBe(state);
    },
  );
});

describe("disputes about a payment", () => {
  it.each([
    [[], null],
    [["won"], "won"],
    [["needs_response"], "open"],
    [["under_review", "won"], "open"],
    [["won", "lost", "under_review"], "lost"],
    // An inquiry takes no money.
    [["warning_needs_response", "warning_closed"], null],
  ] as const)("%o: %s", (statuses, outcome) => {
    expect(getDisputeState(statuses.map((status) => ({ status })))).toBe(outcome);
  });
});

describe("when a subscription ends by itself", () => {
  const running = {
    cancel_at: null,
    cancel_at_period_end: false,
    ended_at: null,
    items: { data: [{ current_period_end: 200 }] },
  } as unknown as Stripe.Subscription;
  it.each([
    ["it goes on", {}, null],
    ["cancelled for the end of its period", { cancel_at_period_end: true }, 200],
    ["cancelled for a day", { cancel_at: 150 }, 150],
    ["both", { cancel_at: 150, cancel_at_period_end: true }, 150],
    ["it has ended", { cancel_at: 150, ended_at: 150 }, null],
  ])("%s", (_how, fields, end) => {
    expect(getSubscriptionEnd({ ...running, ...fields })).toBe(end);
  });
});

describe("an order, as its buyer sees it", () => {
  it.each([
    ["open", null, "open"],
    ["expired", null, "open"],
    ["canceled", null, "open"],
    ["processing", null, "confirming"],
    ["failed", null, "failed"],
    ["paid", null, "paid"],
    ["disputed", null, "disputed"],
    ["refunded", null, "refunded"],
    ["paid", "paid-twice", "refunding"],
    ["refunded", "changed", "refunded"],
  ])("%s, refund reason %s: %s", (status, refund_reason, state) => {
    expect(getOrderState({ status, refund_reason })).toBe(state);
  });
});

describe("a Featured listing, in words", () => {
  it.each([
    [
      { premium: true, subscription_status: "active", subscription_ends_at: null },
      /renews by itself/,
    ],
    [
      { premium: true, subscription_status: "past_due", subscription_ends_at: null },
      /stays Featured while your bank is asked again/,
    ],
    [
      {
        premium: true,
        subscription_status: "active",
        subscription_ends_at: "2026-12-31T23:30:00Z",
      },
      /^Featured until December 31, 2026 \(UTC\)/,
    ],
    [
      { premium: true, subscription_status: null, subscription_ends_at: null },
      /no subscription to pay for/,
    ],
    [
      { premium: false, subscription_status: "unpaid", subscription_ends_at: null },
      /no longer Featured/,
    ],
  ])("%o", (listing, words) => {
    const said = summarizeSubscription(listing)!;
    expect(`${said.title} ${said.text}`).toMatch(words);
  });

  it("says nothing of one that is not, whatever it was", () => {
    for (const subscription_status of [null, "canceled", "incomplete_expired"]) {
      expect(
        summarizeSubscription({ premium: false, subscription_status, subscription_ends_at: null }),
      ).toBeNull();
    }
  });
});

describe("the catalogue", () => {
  it("has a name of its own at Stripe for each plan, and one whose first month is less", () => {
    expect(new Set(PLANS.map(({ lookupKey }) => lookupKey)).size).toBe(PLANS.length);
    expect(
      PLANS.filter(({ firstOff }) => firstOff).map(({ id, cents, firstOff }) => [
        id,
        cents - firstOff!.cents,
      ]),
    ).toEqual([["monthly", FIRST_MONTH_CENTS]]);
    // The reduced plan is the reduced price itself, month after month.
    expect(findPlan("monthly_bipoc")).toMatchObject({ cents: 2900, months: 1 });
  });

  it.each([undefined, null, "", "free", "__proto__", "constructor", 7, ["monthly"]])(
    "knows no plan %o",
    (id) => {
      expect(findPlan(id)).toBeUndefined();
    },
  );

  it("tells the payment provider nothing of who somebody is, nor does a receipt", () => {
    const told = JSON.stringify([
      PRODUCTS,
      SPONSORSHIP_NAME,
      ITEM_LABELS,
      PLANS.map(({ lookupKey, firstOff }) => [lookupKey, firstOff?.coupon]),
    ]);
    expect(told).not.toMatch(/queer|lgbt|gay|trans|bipoc|black|color|pride|supporter/i);
  });
});
