import type { Stripe } from "stripe";

import type { Scenario } from "./scenario";

type Params = Stripe.BillingPortal.SessionCreateParams;

/** The billing portal, and its pages about one subscription. */
export const portalScenario: Scenario = {
  name: "portal",
  async play({ sdk, step, refused, run }) {
    const customer = (await sdk.customers.create({ email: "owner@example.test" })).id;
    const product = (await sdk.products.create({ name: `Recording ${run}` })).id;
    const price = async (unit_amount: number, interval_count: number): Promise<string> => {
      const { id } = await sdk.prices.create({
        currency: "usd",
        product,
        unit_amount,
        recurring: { interval: "month", interval_count },
      });
      return id;
    };
    const prices = [await price(4900, 1), await price(21_600, 6)];
    const card = await sdk.paymentMethods.attach("pm_card_visa", { customer });
    const { id: subscription } = await sdk.subscriptions.create({
      customer,
      default_payment_method: card.id,
      items: [{ price: prices[0]!, quantity: 1 }],
    });

    const { id: configuration } = await step("a configuration", () =>
      sdk.billingPortal.configurations.create({
        features: {
          customer_update: { enabled: true, allowed_updates: ["name", "address", "tax_id"] },
          invoice_history: { enabled: true },
          payment_method_update: { enabled: true },
          subscription_cancel: { enabled: true, mode: "at_period_end" },
          subscription_update: {
            enabled: true,
            default_allowed_updates: ["price"],
            proration_behavior: "always_invoice",
            products: [{ product, prices }],
          },
        },
        metadata: { dashboard: "record" },
      }),
    );
    await refused("updates of a plan without updates of the card", () =>
      sdk.billingPortal.configurations.create({
        features: {
          subscription_update: {
            enabled: true,
            default_allowed_updates: ["price"],
            proration_behavior: "none",
            products: [{ product, prices }],
          },
        },
      }),
    );
    const { id: bare } = await sdk.billingPortal.configurations.create({
      features: { invoice_history: { enabled: true } },
      metadata: { dashboard: "record" },
    });

    const open = (
      flow_data?: Stripe.BillingPortal.SessionCreateParams.FlowData,
      changes: Partial<Params> = {},
    ) =>
      sdk.billingPortal.sessions.create({
        customer,
        configuration,
        return_url: "https://example.test/billing",
        ...(flow_data ? { flow_data } : {}),
        ...changes,
      });
    const cancel = { type: "subscription_cancel", subscription_cancel: { subscription } };
    await step("the whole portal", () => open());
    await step("a page to cancel", () =>
      open({
        ...cancel,
        after_completion: {
          type: "redirect",
          redirect: { return_url: "https://example.test/canceled" },
        },
      }),
    );
    await step("a page to change the plan", () =>
      open({ type: "subscription_update", subscription_update: { subscription } }),
    );
    await step("a page to change the card", () =>
      open({
        type: "payment_method_update",
        after_completion: {
          type: "hosted_confirmation",
          hosted_confirmation: { custom_message: "Thanks." },
        },
      }),
    );
    await refused("a page without its subscription", () => open({ type: "subscription_cancel" }));
    await refused("a page that does not exist", () => open({ type: "subscription_gift" }));
    await refused("a page with what belongs to another", () =>
      open({ ...cancel, type: "payment_method_update" }),
    );
    await refused("a page that the configuration turns off", () =>
      open(cancel, { configuration: bare }),
    );
    const stranger = (await sdk.customers.create({})).id;
    await refused("a page about someone else’s subscription", () =>
      open(cancel, { customer: stranger }),
    );
    await sdk.subscriptions.update(subscription, { cancel_at_period_end: true });
    await refused("a page to cancel what is canceled already", () => open(cancel));

    await sdk.customers.del(stranger);
    await sdk.customers.del(customer);
    for (const id of prices) await sdk.prices.update(id, { active: false });
    await sdk.products.update(product, { active: false });
  },
};
