import type { Scenario } from "./scenario";

/** Products, prices, and a coupon. */
export const catalogScenario: Scenario = {
  name: "catalog",
  async play({ sdk, step, refused, run }) {
    const id = `prod_record_${run}`;
    await step("a new product", () => sdk.products.create({ id, name: "Recording" }));
    await refused("a product id that is taken", () => sdk.products.create({ id, name: "Again" }));
    const price = await step("a price by the month", () =>
      sdk.prices.create({
        currency: "usd",
        product: id,
        unit_amount: 4900,
        recurring: { interval: "month" },
      }),
    );
    await step("an inactive price", () => sdk.prices.update(price.id, { active: false }));
    await refused("a price of a product that does not exist", () =>
      sdk.prices.create({ currency: "usd", product: "prod_gone", unit_amount: 100 }),
    );
    const coupon = await step("a coupon for one product", () =>
      sdk.coupons.create({
        amount_off: 2000,
        currency: "usd",
        duration: "once",
        applies_to: { products: [id] },
      }),
    );
    await step("the coupon with its products", () =>
      sdk.coupons.retrieve(coupon.id, { expand: ["applies_to"] }),
    );
    await refused("a coupon with two kinds of discount", () =>
      sdk.coupons.create({ amount_off: 100, percent_off: 10, currency: "usd" }),
    );
    await step("a deleted coupon", () => sdk.coupons.del(coupon.id));
    await step("an inactive product", () => sdk.products.update(id, { active: false }));
  },
};
