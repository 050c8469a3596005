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

describe("the state of a checkout", () => {
  it.each([
    ["open", "unpaid", null, null, "open"],
    // After a declined card, the customer can try again on the same page.
    ["open", "unpaid", "requires_payment_method", null, "open"],
    ["expired", "unpaid", null, null, "expired"],
    ["complete", "paid", "succeeded", null, "paid"],
    ["complete", "no_payment_required", null, null, "paid"],
    ["complete", "unpaid", "processing", null, "processing"],
    ["complete", "unpaid", "requires_payment_method", null, "failed"],
    ["complete", "unpaid", "canceled", null, "failed"],
    ["complete", "unpaid", null, "incomplete", "processing"],
    ["complete", "unpaid", null, "incomplete_expired", "failed"],
    ["complete", "unpaid", null, "canceled", "failed"],
    ["complete", "unpaid", null, "unpaid", "failed"],
    ["complete", "unpaid", null, "past_due", "failed"],
    [null, "unpaid", null, null, "open"],
  ] as const)(
    "%s, %s, payment %s, subscription %s: %s",
    (status, payment_status, intent, subscription, state) => {
      expect(getCheckoutState({ status, payment_status }, intent, subscription)).toBe(state);
    },
  );
});

describe("the state of disputes", () => {
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

describe("the end of a subscription", () => {
  const running = {
    cancel_at: null,
    cancel_at_period_end: false,
    ended_at: null,
    items: { data: [{ current_period_end: 200 }] },
  } as unknown as Stripe.Subscription;
  it.each([
    ["renews", {}, null],
    ["canceled at the end of its period", { cancel_at_period_end: true }, 200],
    ["canceled at a date", { cancel_at: 150 }, 150],
    ["both", { cancel_at: 150, cancel_at_period_end: true }, 150],
    ["has ended", { cancel_at: 150, ended_at: 150 }, null],
  ])("%s", (_how, fields, end) => {
    expect(getSubscriptionEnd({ ...running, ...fields })).toBe(end);
  });
});

describe("the state of an order", () => {
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

describe("the summary of a subscription", () => {
  it.each([
    [
      { premium: true, subscription_status: "active", subscription_ends_at: null },
      /renews automatically/,
    ],
    [
      { premium: true, subscription_status: "past_due", subscription_ends_at: null },
      /stays Featured while we retry the payment\. .*update your card/,
    ],
    [
      {
        premium: true,
        subscription_status: "active",
        subscription_ends_at: "2026-12-31T23:30:00Z",
      },
      // It doesn't say who ended it: that may have been our team.
      /^Featured until Dec\s31,\s2026 at 11:30\sPM\sUTC The plan won’t renew\./,
    ],
    [
      { premium: true, subscription_status: null, subscription_ends_at: null },
      /no plan to pay for/,
    ],
    // Its first payment failed.
    [
      { premium: false, subscription_status: "past_due", subscription_ends_at: null },
      /becomes Featured once you’ve paid/,
    ],
    [
      { premium: false, subscription_status: "unpaid", subscription_ends_at: null },
      /no longer Featured/,
    ],
  ])("of %o", (listing, text) => {
    const summary = summarizeSubscription(listing)!;
    expect(`${summary.title} ${summary.text}`).toMatch(text);
  });

  it("of a listing that our team features after its plan has ended has no plan", () => {
    for (const subscription_status of ["canceled", "unpaid", "paused"])
      expect(
        summarizeSubscription({ premium: true, subscription_status, subscription_ends_at: null })!
          .text,
      ).toBe("There’s no plan to pay for.");
  });

  it("is empty for a listing that is not Featured", () => {
    for (const subscription_status of [null, "canceled", "incomplete_expired"]) {
      expect(
        summarizeSubscription({ premium: false, subscription_status, subscription_ends_at: null }),
      ).toBeNull();
    }
  });
});

describe("the catalog", () => {
  it("has a lookup key for each plan, and a discounted first month for one", () => {
    expect(new Set(PLANS.map(({ lookupKey }) => lookupKey)).size).toBe(PLANS.length);
    expect(
      PLANS.filter(({ firstOff }) => firstOff).map(({ id, cents, firstOff }) => [
        id,
        cents - firstOff!.cents,
      ]),
    ).toEqual([["monthly", FIRST_MONTH_CENTS]]);
    // The reduced plan has no coupon: its price is the reduced one.
    expect(findPlan("monthly_bipoc")).toMatchObject({ cents: 2900, months: 1 });
  });

  it.each([undefined, null, "", "free", "__proto__", "constructor", 7, ["monthly"]])(
    "has no plan %o",
    (id) => {
      expect(findPlan(id)).toBeUndefined();
    },
  );

  it("has no name that reveals a buyer’s identity to Stripe or on a receipt", () => {
    const names = JSON.stringify([
      PRODUCTS,
      SPONSORSHIP_NAME,
      ITEM_LABELS,
      PLANS.map(({ lookupKey, firstOff }) => [lookupKey, firstOff?.coupon]),
    ]);
    expect(names).not.toMatch(/queer|lgbt|gay|trans|bipoc|black|color|pride|supporter/i);
  });
});
