import type { Stripe } from "stripe";

import type { Scenario } from "./scenario";

/** Customers, and what repeats a request. */
export const customerScenario: Scenario = {
  name: "customers",
  async play({ sdk, step, refused, run }) {
    const { id } = await step("a new customer", () =>
      sdk.customers.create({
        email: "owner@example.test",
        metadata: { user: "u1", note: "x" },
      }),
    );
    await step("a changed customer", () =>
      sdk.customers.update(id, { email: "other@example.test", metadata: { note: "" } }),
    );
    await refused("a text that is no email address", () => sdk.customers.create({ email: "none" }));
    await refused("an unknown parameter", () =>
      sdk.customers.create({ nickname: "Sam" } as Stripe.CustomerCreateParams),
    );
    await refused("a value of metadata that is too long", () =>
      sdk.customers.update(id, { metadata: { note: "x".repeat(501) } }),
    );
    await refused("a customer who does not exist", () => sdk.customers.retrieve("cus_gone"));
    await refused("expanding a text", () => sdk.customers.retrieve(id, { expand: ["email"] }));
    await refused("a page of 101", () => sdk.customers.list({ limit: 101 }));

    const key = { idempotencyKey: `record-${run}` };
    const first = await sdk.customers.create({ email: "same@example.test" }, key);
    const second = await sdk.customers.create({ email: "same@example.test" }, key);
    if (first.id !== second.id) throw new Error("A repeated request made a second customer.");
    await refused("another request with the same idempotency key", () =>
      sdk.customers.create({ email: "different@example.test" }, key),
    );

    await sdk.customers.del(first.id);
    await step("a deleted customer", () => sdk.customers.del(id));
    await step("a customer who was deleted", () => sdk.customers.retrieve(id));
  },
};
