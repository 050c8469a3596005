/** What a checkout session asks Stripe for, and what buyers read beside the buttons that lead there. */
import { bypass, http, HttpResponse } from "msw";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { jobForm, sponsorshipForm } from "../support/forms";
import { listNewsletterDates } from "../support/newsletter-dates";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { env } = await import("~/env.server");
const untouched = { ...env() };

const [day] = await listNewsletterDates(world);

let owner: Member;
let listing: { id: number };
/** The requests that created checkout sessions. */
let requests: URLSearchParams[];
beforeEach(async () => {
  owner = await world.owner();
  listing = await world.listing({ owner, name: "Queer Bakery" });
  await world.sql("delete from public.sponsorship_spots");
  requests = [];
  outside.use(
    http.post(`${stripe.url}/v1/checkout/sessions`, async ({ request }) => {
      requests.push(new URLSearchParams(await request.clone().text()));
    }),
  );
});
afterEach(() => {
  Object.assign(env(), untouched);
});

const checkoutFrom = async (sent: Promise<{ location: string | null }>) => {
  const { location } = await sent;
  expect(location).toMatch(new RegExp(`^${stripe.url}/`));
  return location!;
};
const buy = {
  "a job": () => checkoutFrom(owner.post("/jobs/new", jobForm())),
  "a sponsorship": () =>
    checkoutFrom(
      owner.post("/sponsor/new", sponsorshipForm(listing, { sponsorship_dates: [day] })),
    ),
  "a plan": (plan = "monthly") =>
    checkoutFrom(owner.post("/upgrade", { intent: "upgrade", place: listing.id, plan })),
};
const kinds = Object.keys(buy) as (keyof typeof buy)[];
const request = () => Object.fromEntries(requests.at(-1)!);

describe("the payment methods", () => {
  it("of newsletter dates are those whose money arrives at once", async () => {
    await buy["a sponsorship"]();
    expect(request()).toMatchObject({
      "allowed_payment_method_types[0]": "card",
      "allowed_payment_method_types[1]": "link",
    });
    expect(request()).not.toHaveProperty(["allowed_payment_method_types[2]"]);
  });

  it("of newsletter dates include no debit, which a job can be paid for by", async () => {
    const dates = await buy["a sponsorship"]();
    await expect(stripe.pay(dates, { card: "debit" })).rejects.toThrow(
      "doesn’t accept that payment method",
    );
    await stripe.pay(await buy["a job"](), { card: "debit" });
    expect(
      await world.sql("select kind, status from public.orders where owner = $1 order by kind", [
        owner.id,
      ]),
    ).toEqual([
      { kind: "job", status: "processing" },
      { kind: "sponsorship", status: "open" },
    ]);
  });

  it.each(["a job", "a plan"] as const)("of %s are all that the account has on", async (kind) => {
    await buy[kind]();
    expect([...requests.at(-1)!.keys()].join()).not.toContain("payment_method");
  });
});

it.each(kinds)("the price of %s stays in US dollars wherever its buyer is", async (kind) => {
  await buy[kind]();
  expect(request()).toMatchObject({ "adaptive_pricing[enabled]": "false" });
});

describe("tax", () => {
  it.each(kinds)("is off for %s unless it is turned on here", async (kind) => {
    await buy[kind]();
    expect(request()).toMatchObject({ "automatic_tax[enabled]": "false" });
    expect([...requests.at(-1)!.keys()].join()).not.toMatch(/tax_id|customer_update/);
  });

  it.each(kinds)("is added to %s with the address and tax id that are asked for", async (kind) => {
    env().taxIsAdded = true;
    await buy[kind]();
    expect(request()).toMatchObject({
      "automatic_tax[enabled]": "true",
      "tax_id_collection[enabled]": "true",
      "customer_update[name]": "auto",
      "customer_update[address]": "auto",
    });
  });

  it("does not make the order another one: its price is compared without tax", async () => {
    const amount_total = 4950;
    const checkout = await buy["a sponsorship"]();
    const id = new URL(checkout).pathname.split("/").at(-1)!;
    outside.use(
      http.get(`${stripe.url}/v1/checkout/sessions/${id}`, async ({ request }) => {
        const { url, headers } = bypass(request);
        const session = (await (await fetch(url, { headers })).json()) as object;
        return HttpResponse.json({ ...session, amount_total });
      }),
    );
    await stripe.pay(checkout);
    // What was charged counts, and Stripe's stand-in charges no tax.
    expect(
      await world.sql(
        "select status, refund_reason, amount_paid_cents::int as paid from public.orders where owner = $1",
        [owner.id],
      ),
    ).toEqual([{ status: "paid", refund_reason: null, paid: 4500 }]);
  });
});

it("a subscription is distinguished by its listing's number, without its name", async () => {
  await buy["a plan"]();
  expect(request()).toMatchObject({
    "subscription_data[description]": `Featured listing ${listing.id}`,
  });
  expect(requests.at(-1)!.toString()).not.toMatch(/queer|bakery/i);
});

describe("the first month", () => {
  const success = () => new URL(request()["success_url"]!).searchParams;

  it("is discounted when the database grants it", async () => {
    await buy["a plan"]();
    expect(request()).toMatchObject({ "discounts[0][coupon]": "featured_first_month" });
    expect(success().get("value")).toBe("29");
  });

  it("has the regular price when it was used before, and says so to the ad platform", async () => {
    outside.use(
      http.post(`${world.supabase.url}/rest/v1/rpc/open_order`, async ({ request }) => {
        const { url, headers } = bypass(request);
        const body = await request.clone().text();
        const answer = (await (await fetch(url, { method: "POST", headers, body })).json()) as {
          order: object;
        };
        return HttpResponse.json({ ...answer, order: { ...answer.order, coupon: null } });
      }),
    );
    await buy["a plan"]();
    expect(request()).not.toHaveProperty(["discounts[0][coupon]"]);
    expect(success().get("value")).toBe("49");
  });
});

describe("beside each button that leads to a payment", () => {
  const terms = {
    "/upgrade": "Your plan renews until you cancel",
    "/jobs": "If we can’t post your job, we’ll refund you.",
    "/jobs/new": "it won’t renew",
    "/jobs/{job}": "it won’t renew",
    "/jobs/{job}/status": "If we can’t post your job, we’ll refund you.",
    "/sponsor": "for a refund until 3 days before it goes out",
    "/sponsor/new": "it won’t renew",
    "/sponsor/{sponsorship}": "for a refund until 3 days before it goes out",
    "/": "You’ll pay once, on our payment page",
  };

  it("is who is paid, whether it renews, when it is refunded, the tax, and a link to the terms", async () => {
    env().soloEmailUrl = "https://pay.example/solo";
    await buy["a job"]();
    await buy["a sponsorship"]();
    const [{ job, sponsorship }] = (await world.sql(
      "select max(job_id)::int as job, max(sponsorship_id)::int as sponsorship from public.orders where owner = $1",
      [owner.id],
    )) as [{ job: number; sponsorship: number }];
    for (const taxed of [false, true]) {
      env().taxIsAdded = taxed;
      env().termsUrl = taxed ? "https://example.org/terms" : null;
      for (const [path, sentence] of Object.entries(terms)) {
        const page = await owner.page(
          path.replace("{job}", String(job)).replace("{sponsorship}", String(sponsorship)),
        );
        expect(page, path).toSay("You’ll pay");
        expect(page, path).toSay(sentence);
        expect(page.text.includes("Tax is added where it applies."), path).toBe(
          taxed && path !== "/",
        );
        expect(page.body.includes('href="https://example.org/terms"'), path).toBe(taxed);
      }
    }
  });

  it("is nothing where nothing can be paid for", async () => {
    await stripe.pay(await buy["a job"]());
    await stripe.pay(await buy["a sponsorship"]());
    for (const path of ["/jobs", "/sponsor", "/"])
      expect(await owner.page(path), path).not.toSay("You’ll pay");
  });
});
