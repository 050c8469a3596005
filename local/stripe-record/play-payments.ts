import type { Stripe } from "stripe";

import type { Scenario } from "./scenario";

/** Payments with Stripe's test cards, and their refunds. */
export const paymentScenario: Scenario = {
  name: "payments",
  async play({ sdk, step, refused, run }) {
    const customer = (await sdk.customers.create({ email: "owner@example.test" })).id;
    const pay = (payment_method: string, amount = 500): Promise<Stripe.PaymentIntent> =>
      sdk.paymentIntents.create({
        amount,
        automatic_payment_methods: { enabled: true, allow_redirects: "never" },
        confirm: true,
        currency: "usd",
        customer,
        metadata: { order: "1" },
        payment_method,
        expand: ["latest_charge"],
      });

    const { id: payment_intent } = await step("a payment", () => pay("pm_card_visa"));
    await refused("a declined payment", () => pay("pm_card_chargeDeclined"));
    await refused("a payment without enough money", () =>
      pay("pm_card_chargeDeclinedInsufficientFunds"),
    );
    await refused("a payment of 49 cents", () => pay("pm_card_visa", 49));
    await refused("a payment that does not exist", () => sdk.paymentIntents.retrieve("pi_gone"));

    const key = { idempotencyKey: `record-refund-${run}` };
    const refund = await step("a refund of a part", () =>
      sdk.refunds.create(
        { payment_intent, amount: 200, reason: "requested_by_customer", metadata: { order: "1" } },
        key,
      ),
    );
    await refused("the same key for another refund", () =>
      sdk.refunds.create({ payment_intent, amount: 100 }, key),
    );
    await refused("a refund of more than is left", () =>
      sdk.refunds.create({ payment_intent, amount: 301 }),
    );
    await refused("a refund of nothing", () => sdk.refunds.create({ payment_intent, amount: 0 }));
    await refused("a refund of no payment", () => sdk.refunds.create({ amount: 100 }));
    await step("changed metadata of a refund", () =>
      sdk.refunds.update(refund.id, { metadata: { order: "", note: "x" } }),
    );
    await step("a refund of the rest", () => sdk.refunds.create({ payment_intent }));
    await refused("a refund of what is refunded", () => sdk.refunds.create({ payment_intent }));
    await step("the refunds of a payment", () => sdk.refunds.list({ payment_intent }));
    await step("the payment with its charge", () =>
      sdk.paymentIntents.retrieve(payment_intent, { expand: ["latest_charge.refunds"] }),
    );
    await step("the charges of a customer", () => sdk.charges.list({ customer }));

    const slow = await pay("pm_card_pendingRefund");
    await step("a refund that is pending", () => sdk.refunds.create({ payment_intent: slow.id }));
    const failing = await pay("pm_card_refundFail");
    await step("a refund that fails later", () =>
      sdk.refunds.create({ payment_intent: failing.id }),
    );
    await sdk.customers.del(customer);
  },
};
