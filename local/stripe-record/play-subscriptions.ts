import type { Scenario } from "./scenario";

/** A subscription from its first payment to its end, and its invoices. */
export const subscriptionScenario: Scenario = {
  name: "subscriptions",
  async play({ sdk, step, refused, run }) {
    const customer = (await sdk.customers.create({ email: "owner@example.test" })).id;
    const product = (await sdk.products.create({ name: `Recording ${run}` })).id;
    const { id: price } = await sdk.prices.create({
      currency: "usd",
      product,
      unit_amount: 4900,
      recurring: { interval: "month" },
    });
    const card = await step("an attached card", () =>
      sdk.paymentMethods.attach("pm_card_visa", { customer }),
    );
    await step("a customer who pays with it", () =>
      sdk.customers.update(customer, { invoice_settings: { default_payment_method: card.id } }),
    );
    const start = () =>
      sdk.subscriptions.create({
        customer,
        default_payment_method: card.id,
        description: "A listing",
        items: [{ price, quantity: 1 }],
        metadata: { order: "1" },
      });
    const { id } = await step("a subscription", start);
    await step("the subscription with its invoice", () =>
      sdk.subscriptions.retrieve(id, { expand: ["latest_invoice.payments"] }),
    );
    await step("its invoices", () => sdk.invoices.list({ subscription: id }));
    await step("the paid invoices of the customer", () =>
      sdk.invoices.list({ customer, status: "paid", limit: 1 }),
    );
    await step("a subscription that is to end with its period", () =>
      sdk.subscriptions.update(id, { cancel_at_period_end: true }),
    );
    await step("a subscription that goes on", () =>
      sdk.subscriptions.update(id, { cancel_at_period_end: false }),
    );
    await step("another description and metadata", () =>
      sdk.subscriptions.update(id, { description: "Its new name", metadata: { order: "" } }),
    );
    await refused("a description of 501 characters", () =>
      sdk.subscriptions.update(id, { description: "d".repeat(501) }),
    );
    await step("a canceled subscription", () => sdk.subscriptions.cancel(id));
    await refused("canceling it again", () => sdk.subscriptions.cancel(id));
    await refused("letting it end once more", () =>
      sdk.subscriptions.update(id, { cancel_at_period_end: true }),
    );
    await step("the subscriptions of the customer", () => sdk.subscriptions.list({ customer }));
    await step("all that there were", () => sdk.subscriptions.list({ customer, status: "all" }));
    await refused("a subscription that does not exist", () =>
      sdk.subscriptions.retrieve("sub_gone"),
    );

    await sdk.customers.del(customer);
    await sdk.prices.update(price, { active: false });
    await sdk.products.update(product, { active: false });
  },
};
