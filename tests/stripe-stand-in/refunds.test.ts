/** Refunds go on after they were made: they arrive late, or come back. */
import type { Stripe } from "stripe";
import { beforeEach, describe, expect, it } from "vitest";

import type { TestMethodName } from "../../local/stripe/payment-methods";
import { startTestStripe } from "../support/stripe";

const stripe = await startTestStripe("http://app.test", async () => ({ status: 200, body: "" }));
const { sdk } = stripe;
const customer = await sdk.customers.create({ email: "owner@example.test" });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let eventsBefore = 0;
beforeEach(() => {
  eventsBefore = stripe.events().length;
});
const refundEvents = (): string[] =>
  stripe
    .events()
    .slice(eventsBefore)
    .map(({ type }) => type)
    .filter((type) => type.includes("refund"));

async function paid(card: TestMethodName = "ok"): Promise<string> {
  const session = await sdk.checkout.sessions.create({
    mode: "payment",
    customer: customer.id,
    success_url: "http://app.test/",
    line_items: [
      { quantity: 1, price_data: { currency: "usd", unit_amount: 500, product: "job" } },
    ],
  });
  await stripe.pay(session.url!, { card });
  if (card === "debit") await stripe.advanceClock(3 * DAY_MS);
  return stripe.session(session.id).payment_intent as string;
}

async function chargeOf(payment_intent: string): Promise<Stripe.Charge> {
  const { latest_charge } = await sdk.paymentIntents.retrieve(payment_intent, {
    expand: ["latest_charge"],
  });
  return latest_charge as Stripe.Charge;
}

describe("a refund", () => {
  it("to a card that delays refunds is pending, and arrives later", async () => {
    const payment_intent = await paid("refund_pending");
    const { id, ...refund } = await sdk.refunds.create({ payment_intent });
    expect(refund).toMatchObject({ status: "pending", pending_reason: "processing" });
    expect(await chargeOf(payment_intent)).toMatchObject({ amount_refunded: 500, refunded: true });

    await stripe.advanceClock(HOUR_MS);

    const settled = await sdk.refunds.retrieve(id);
    expect(settled).toMatchObject({ status: "succeeded" });
    expect(settled).not.toHaveProperty("pending_reason");
    expect(refundEvents()).toEqual([
      "charge.refunded",
      "refund.created",
      "refund.updated",
      "charge.refund.updated",
    ]);
  });

  it("to a bank account is pending for days", async () => {
    const payment_intent = await paid("debit");
    const refund = await sdk.refunds.create({ payment_intent });
    expect(refund).toMatchObject({
      status: "pending",
      destination_details: { type: "us_bank_transfer" },
    });
    await stripe.advanceClock(DAY_MS);
    expect(await sdk.refunds.retrieve(refund.id)).toMatchObject({ status: "pending" });
    await stripe.advanceClock(DAY_MS);
    expect(await sdk.refunds.retrieve(refund.id)).toMatchObject({ status: "succeeded" });
  });

  it("that fails later comes back, and the charge can be refunded again", async () => {
    const payment_intent = await paid("refund_fails");
    const refund = await sdk.refunds.create({ payment_intent, amount: 200 });
    expect(refund).toMatchObject({ status: "succeeded", amount: 200 });
    expect(refund).not.toHaveProperty("failure_reason");

    await stripe.advanceClock(HOUR_MS);

    expect(await sdk.refunds.retrieve(refund.id, { expand: ["charge"] })).toMatchObject({
      status: "failed",
      failure_reason: "expired_or_canceled_card",
      failure_balance_transaction: expect.stringMatching(/^txn_/),
      charge: { amount_refunded: 0, refunded: false },
    });
    expect(refundEvents()).toEqual([
      "charge.refunded",
      "refund.created",
      "refund.updated",
      "charge.refund.updated",
      "refund.failed",
    ]);
    const failed = stripe.events("refund.failed").at(-1)!;
    expect(failed.data.object).toMatchObject({ id: refund.id, status: "failed", amount: 200 });
    expect(await sdk.refunds.create({ payment_intent })).toMatchObject({ amount: 500 });
  });

  it("fails or arrives when a test says so, once", async () => {
    const [first, second] = [await paid(), await paid("refund_pending")];
    const one = await sdk.refunds.create({ payment_intent: first });
    await stripe.failRefund(one.id, "lost_or_stolen_card");
    expect(stripe.refunds(first)).toMatchObject([
      { status: "failed", failure_reason: "lost_or_stolen_card" },
    ]);
    await expect(stripe.failRefund(one.id)).rejects.toThrow("This refund is failed.");

    const other = await sdk.refunds.create({ payment_intent: second });
    await stripe.settleRefund(other.id);
    await expect(stripe.settleRefund(other.id)).rejects.toThrow("not pending");
    await stripe.advanceClock(2 * DAY_MS);
    expect(stripe.refunds(second)).toMatchObject([{ status: "succeeded" }]);
  });

  it("is listed by payment, charge, and time, and can be named by its charge", async () => {
    const payment_intent = await paid();
    const charge = await chargeOf(payment_intent);
    const { created } = await sdk.refunds.create({ charge: charge.id, amount: 100 });
    await stripe.advanceClock(HOUR_MS);
    await sdk.refunds.create({ payment_intent, metadata: { order: "1" } });
    const amounts = async (params: Stripe.RefundListParams) =>
      (await sdk.refunds.list(params)).data.map(({ amount }) => amount);
    expect(await amounts({ payment_intent })).toEqual([400, 100]);
    expect(await amounts({ charge: charge.id, limit: 1 })).toEqual([400]);
    expect(await amounts({ payment_intent, created: { gt: created } })).toEqual([400]);
    const { refunds } = await sdk.charges.retrieve(charge.id, { expand: ["refunds"] });
    expect(refunds!.data.map(({ amount }) => amount)).toEqual([400, 100]);
  });

  it("gets other metadata", async () => {
    const { id } = await sdk.refunds.create({
      payment_intent: await paid(),
      metadata: { order: "1", note: "x" },
    });
    const changed = await sdk.refunds.update(id, { metadata: { note: "", by: "admin" } });
    expect(changed.metadata).toEqual({ order: "1", by: "admin" });
  });
});

describe("the answer to a refund", () => {
  it("that was refused is repeated for its idempotency key, and not for another", async () => {
    const payment_intent = await paid();
    const dispute = await stripe.dispute(payment_intent);
    const refund = (idempotencyKey: string) =>
      sdk.refunds.create({ payment_intent }, { idempotencyKey });
    const refusal = { code: "charge_disputed", statusCode: 400 };
    await expect(refund("refund-1")).rejects.toMatchObject(refusal);
    await stripe.closeDispute(dispute.id, true);
    await expect(refund("refund-1")).rejects.toMatchObject({
      ...refusal,
      headers: { "idempotent-replayed": "true" },
    });
    expect(await refund("refund-2")).toMatchObject({ status: "succeeded" });
  });

  it.each([
    ["nothing", {}, /payment_intent or charge/],
    ["no money", { amount: 0 }, /greater than or equal to 1/],
    ["more than was paid", { amount: 501 }, /greater than unrefunded amount/],
    ["another currency", { currency: "eur" }, /unknown parameter: currency/],
    ["a reason of its own", { reason: "sorry" }, /Invalid reason/],
  ])("that names %s is a refusal", async (what, params, message) => {
    const named = what === "nothing" ? {} : { payment_intent: await paid() };
    await expect(sdk.refunds.create({ ...named, ...params })).rejects.toThrow(message);
  });

  it("of a payment that is on its way is a refusal", async () => {
    const session = await sdk.checkout.sessions.create({
      mode: "payment",
      customer: customer.id,
      success_url: "http://app.test/",
      line_items: [
        { quantity: 1, price_data: { currency: "usd", unit_amount: 500, product: "job" } },
      ],
    });
    await stripe.pay(session.url!, { card: "debit" });
    const payment_intent = stripe.session(session.id).payment_intent as string;
    await expect(sdk.refunds.create({ payment_intent })).rejects.toThrow("successful charge");
  });
});

describe("a dispute", () => {
  it("gets evidence before it is decided", async () => {
    const { id } = await stripe.dispute(await paid());
    await stripe.respondToDispute(id);
    expect(await sdk.disputes.retrieve(id)).toMatchObject({
      status: "under_review",
      evidence_details: { has_evidence: true, submission_count: 1 },
    });
    await stripe.closeDispute(id, false);
    expect(
      stripe
        .events("charge.dispute")
        .slice(-4)
        .map(({ type }) => type.replace("charge.dispute.", "")),
    ).toEqual(["created", "funds_withdrawn", "updated", "closed"]);
  });

  it("that only asks takes no money, and allows a refund", async () => {
    const payment_intent = await paid();
    const { id } = await stripe.dispute(payment_intent, { inquiry: true });
    expect(await sdk.disputes.list({ payment_intent })).toMatchObject({
      data: [{ id, status: "warning_needs_response", is_charge_refundable: true }],
    });
    expect(await sdk.refunds.create({ payment_intent })).toMatchObject({ status: "succeeded" });
    expect(await stripe.closeDispute(id, true)).toMatchObject({ status: "warning_closed" });
    expect(
      stripe
        .events("charge.dispute.funds")
        .filter(({ data }) => (data.object as Stripe.Dispute).id === id),
    ).toEqual([]);
  });
});
