/** Sponsorship orders while the database or Stripe fails: saved, explained, and never duplicated. */
import { randomUUID } from "node:crypto";

import { beforeEach, describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { sponsorshipForm } from "../support/forms";
import { forgetOrders } from "../support/forget-orders";
import { listNewsletterDates } from "../support/newsletter-dates";
import { everyThird } from "../support/nightly";
import { createWorld } from "../support/world";

import { breakDown, faultNames, faults, recover } from "./outage";

const world = await createWorld({ stripe: true });
const data = `${world.supabase.url}/rest/v1`;
const stripe = `${world.stripe.url}/v1/*`;
const owner = await world.owner();
const admin = await world.admin();
const bakery = await world.listing({ owner });
const [day, other] = await listNewsletterDates(world);

const UNKNOWN = /can’t tell whether your form was saved.*you can safely submit it again/;
const readResend = (answer: Answer) =>
  answer.data as { message: string; submittedForm: { action: string; fields: [string, string][] } };
const orders = () => world.sql("select id, paid, promo_text, rate from public.sponsorships");
const newOrder = () =>
  sponsorshipForm(bakery, {
    promo_text: "Saved </script> 🏳️‍🌈",
    sponsorship_dates: [day, other],
    submission_id: randomUUID(),
  });
const isCheckout = (answer: Answer) => expect(answer.location).toContain(world.stripe.url);

beforeEach(async () => {
  await forgetOrders(world);
  await world.sql("delete from public.sponsorships");
});

describe.each(everyThird(faultNames, 0))("when the database %s", (name) => {
  it("during a new order, its form comes back, and it is saved once however often it is sent", async () => {
    const form = newOrder();
    breakDown(`${data}/sponsorships*`, faults[name]!, ({ method }) => method === "POST");
    const answer = await owner.post("/sponsor/new", form);
    expect(answer).toHaveStatus(503);
    expect(readResend(answer).message).toMatch(UNKNOWN);
    expect(
      readResend(answer).submittedForm.fields.filter(([field]) => field === "sponsorship_dates"),
    ).toHaveLength(2);
    recover();
    for (let times = 0; times < 2; times += 1)
      isCheckout(await owner.post("/sponsor/new", readResend(answer).submittedForm.fields));
    expect(await orders()).toMatchObject([{ promo_text: form["promo_text"] }]);
  });

  it("while its spots are held, the order is saved and can be paid with the same form", async () => {
    const form = newOrder();
    breakDown(`${data}/rpc/open_order`, faults[name]!);
    expect(await owner.post("/sponsor/new", form)).toHaveStatus(503);
    recover();
    isCheckout(await owner.post("/sponsor/new", form));
    expect(await orders()).toHaveLength(1);
  });

  it("the pages show the error in their layout", async () => {
    const { id } = await world.insert("sponsorships", {
      place_id: bakery.id,
      promo_text: "x",
      owner: owner.id,
    });
    for (const rows of [
      "sponsorships*",
      "sponsorship_spots*",
      "rpc/get_available_sponsorship_dates",
    ])
      breakDown(`${data}/${rows}`, faults[name]!);
    for (const page of [
      await owner.page("/sponsor"),
      await owner.page("/sponsor/new"),
      await owner.page(`/sponsor/${String(id)}`),
      await admin.page("/admin/newsletter-dates"),
    ]) {
      expect(page).toHaveStatus(503);
      expect(page.heading).toBe("Something isn’t responding right now");
      expect(page.body).not.toMatch(/db-7\.internal|127\.0\.0\.1/);
    }
  });
});

describe.each(everyThird(faultNames, 1))("when the payment provider %s", (name) => {
  it("an order is saved, not charged, and can be paid later", async () => {
    breakDown(stripe, faults[name]!);
    expect(await owner.post("/sponsor/new", newOrder())).toRedirectTo("/sponsor");
    const page = await owner.page("/sponsor");
    expect(page).toSay("your order is saved");
    expect(page).toSay("Pay Now!");
    recover();
    const [made] = await orders();
    isCheckout(await owner.post("/sponsor", { intent: "pay", sponsorship: String(made!["id"]) }));
  });
});

describe.each(["refuses the connection", "answers 502", "is cut off in the middle"])(
  "when the payment provider %s during a change of price",
  (name) => {
    it("nothing changes while the open checkout can’t be closed, and the form comes back", async () => {
      const made = (await owner.post("/sponsor/new", newOrder())).location!;
      const [{ id } = { id: 0 }] = await orders();
      breakDown(stripe, faults[name]!);
      const form = sponsorshipForm(bakery, { rate: "300", sponsorship_dates: day, version: "1" });
      const answer = await owner.post(`/sponsor/${String(id)}`, form);
      expect(answer).toBeRefusedWith(/to close it. Your changes aren’t saved yet/, {
        status: 503,
      });
      expect(answer.kept).toMatchObject({ rate: "300" });
      expect(await orders()).toMatchObject([{ rate: 45 }]);
      recover();
      isCheckout(await owner.post(`/sponsor/${String(id)}`, form));
      await expect(world.stripe.pay(made)).rejects.toThrow();
      expect(await orders()).toMatchObject([{ rate: 300 }]);
    });
  },
);
