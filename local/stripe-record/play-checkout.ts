import type { Stripe } from "stripe";

import type { Scenario } from "./scenario";

type Params = Stripe.Checkout.SessionCreateParams;

/** Checkout sessions, and what Stripe refuses of them. */
export const checkoutScenario: Scenario = {
  name: "checkout",
  async play({ sdk, step, refused, run }) {
    const customer = (await sdk.customers.create({ email: "owner@example.test" })).id;
    const product = (await sdk.products.create({ name: `Recording ${run}` })).id;
    const plan = await sdk.prices.create({
      currency: "usd",
      product,
      unit_amount: 4900,
      recurring: { interval: "month" },
    });
    const now = Math.floor(Date.now() / 1000);
    const item = (cents: number) => ({
      quantity: 1,
      price_data: { currency: "usd", unit_amount: cents, product },
    });
    const payment: Params = {
      mode: "payment",
      customer,
      line_items: [item(500)],
      success_url: "https://example.test/paid",
    };
    const subscription: Params = {
      mode: "subscription",
      customer,
      line_items: [{ price: plan.id, quantity: 1 }],
      success_url: "https://example.test/upgraded",
    };
    const create = (params: Params, changes: object = {}) =>
      sdk.checkout.sessions.create({ ...params, ...changes });

    const session = await step("a checkout of a payment", () =>
      create(payment, {
        adaptive_pricing: { enabled: false },
        allow_promotion_codes: true,
        allowed_payment_method_types: ["card"],
        cancel_url: "https://example.test/canceled",
        client_reference_id: "order-1",
        expires_at: now + 31 * 60,
        metadata: { order: "1" },
        payment_intent_data: { metadata: { order: "1" }, statement_descriptor_suffix: "ORDER" },
      }),
    );
    await step("its items", () => sdk.checkout.sessions.listLineItems(session.id));
    await step("the same checkout with its items", () =>
      sdk.checkout.sessions.retrieve(session.id, { expand: ["line_items"] }),
    );
    await step("an expired checkout", () => sdk.checkout.sessions.expire(session.id));
    await refused("expiring it again", () => sdk.checkout.sessions.expire(session.id));
    await step("a checkout with an invoice and a tax id", async () => {
      const created = await create(payment, {
        billing_address_collection: "required",
        customer_update: { address: "auto", name: "auto" },
        invoice_creation: {
          enabled: true,
          invoice_data: {
            custom_fields: [{ name: "Order", value: "1" }],
            description: "An order",
            metadata: { order: "1" },
          },
        },
        tax_id_collection: { enabled: true },
      });
      await sdk.checkout.sessions.expire(created.id);
      return created;
    });
    await step("a checkout of a plan", async () => {
      const created = await create(subscription, {
        subscription_data: { description: "A listing", metadata: { order: "2" } },
      });
      await sdk.checkout.sessions.expire(created.id);
      return created;
    });

    await refused("an expiry in 29 minutes", () => create(payment, { expires_at: now + 29 * 60 }));
    await refused("an expiry in 25 hours", () => create(payment, { expires_at: now + 25 * 3600 }));
    await refused("an unknown parameter", () => create(payment, { price: 500 }));
    await refused("the payment methods of earlier versions", () =>
      create(payment, { payment_method_types: ["card"] }),
    );
    await refused("a payment method that does not exist", () =>
      create(payment, { allowed_payment_method_types: ["cash"] }),
    );
    await refused("49 cents", () => create(payment, { line_items: [item(49)] }));
    await refused("no items", () => create(payment, { line_items: [] }));
    await refused("a success URL that is a path", () => create(payment, { success_url: "/paid" }));
    await refused("a plan in payment mode", () => create(subscription, { mode: "payment" }));
    await refused("what belongs to a plan, for a payment", () =>
      create(payment, { subscription_data: { metadata: { order: "1" } } }),
    );
    await refused("an invoice of its own, for a plan", () =>
      create(subscription, { invoice_creation: { enabled: true } }),
    );
    await refused("a tax id without a name to update", () =>
      create(payment, { tax_id_collection: { enabled: true } }),
    );
    await refused("a reference of 201 characters", () =>
      create(payment, { client_reference_id: "r".repeat(201) }),
    );
    await refused("a value of metadata of 501 characters", () =>
      create(payment, { metadata: { k: "v".repeat(501) } }),
    );
    await refused("a star on the statement", () =>
      create(payment, { payment_intent_data: { statement_descriptor_suffix: "OR*DER" } }),
    );
    await refused("a customer who does not exist", () => create(payment, { customer: "cus_gone" }));
    await refused("a price that does not exist", () =>
      create(subscription, { line_items: [{ price: "price_gone", quantity: 1 }] }),
    );
    await refused("a checkout that does not exist", () =>
      sdk.checkout.sessions.retrieve("cs_test_gone"),
    );

    await sdk.customers.del(customer);
    await sdk.prices.update(plan.id, { active: false });
    await sdk.products.update(product, { active: false });
  },
};
