/**
 * Every form that leads to the payment provider, while it fails: what was ordered is kept, it is said in words that
 * nothing was charged, and paying works later; whatever it does, an answer comes within ten seconds.
 */
import { bypass, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, it } from "vitest";

import type { Answer } from "../support/answer";
import { jobForm, sponsorshipForm } from "../support/forms";
import { outside } from "../support/outside";
import { measureWaiting } from "../support/waiting-time";
import { createWorld, type Member } from "../support/world";

import { breakDown, faultNames, faults, hangs, recover } from "./outage";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const everything = `${stripe.url}/v1/*`;
const dates = (
  await world.sql(
    "select weekday_date::text as day from public.get_available_sponsorship_dates(12)",
  )
).map(({ day }) => String(day));

/** What Stripe itself says when it is asked too much, or is unwell. */
const said = (status: number, error: object) => () =>
  HttpResponse.json({ error }, { status, headers: { "Stripe-Should-Retry": "false" } });
const paymentFaults: typeof faults = {
  ...faults,
  "asks to be asked less": said(429, {
    type: "invalid_request_error",
    code: "rate_limit",
    message: "Request rate limit exceeded.",
  }),
  "says that it is unwell": said(500, { type: "api_error", message: "An unknown error occurred" }),
};

let owner: Member;
let listing: { id: number };
let job: { id: number };

beforeEach(async () => {
  owner = await world.owner();
  listing = await world.listing({ owner });
  const complete = {
    title: "Baker",
    category: 85,
    description: "Bake.",
    location: "{Oregon}",
    company_name: "X",
    company_bio: "Y",
  };
  job = (await world.insert("jobs", {
    ...complete,
    owner: owner.id,
    owner_email: owner.email,
  })) as { id: number };
  await world.sql("delete from public.sponsorship_spots");
});

const sponsored = async () =>
  (await world.sql("select id, paid from public.sponsorships where owner = $1", [owner.id])) as {
    id: number;
    paid: boolean;
  }[];

/** The ways to the payment page: what is sent, and what tells that it is paid for. */
const ways: Record<string, { send: () => Promise<Answer>; paid: () => Promise<boolean> }> = {
  "a job": {
    send: () => owner.submit(`/jobs/${job.id}/status`, { intent: "pay" }),
    paid: async () => (await world.row("jobs", job.id))!["paid"] === true,
  },
  "a sponsorship": {
    send: async () => {
      const [made] = await sponsored();
      const sent = made
        ? await owner.submit("/sponsor", { intent: "pay", sponsorship: String(made.id) })
        : await owner.submit(
            "/sponsor/new",
            sponsorshipForm(listing, { sponsorship_dates: dates.slice(0, 2) }),
          );
      return sent;
    },
    paid: async () => (await sponsored())[0]!.paid,
  },
  "an upgrade": {
    send: () =>
      owner.submit("/upgrade", { intent: "upgrade", place: String(listing.id), plan: "monthly" }),
    paid: async () => (await world.row("places", listing.id))!["premium"] === true,
  },
};

const SECRETS = /sk_test|whsec|127\.0\.0\.1|db-7\.internal|sb_secret/;

/** Not paid, and told so in the page that answers, or in the one that it leads to. */
async function expectTold(answer: Answer, called: string) {
  expect(answer.status, called).toBeOneOf([303, 503]);
  const page = answer.status === 303 ? await owner.page(answer.location!) : answer;
  expect(page.text, called).toMatch(/Nothing was charged, and your order is kept/);
  expect(page.body, called).not.toMatch(SECRETS);
}

/** A checkout is a page of Stripe's; gives its address. */
function checkoutOf(answer: Answer): string {
  expect(answer.status, answer.text).toBe(303);
  expect(answer.location).toMatch(new RegExp(`^${stripe.url}/`));
  return answer.location!;
}

describe.each(Object.keys(paymentFaults))("when the payment provider %s", (fault) => {
  it("under a checkout, nothing is charged, the order is kept, and is paid for later", async () => {
    breakDown(everything, paymentFaults[fault]!);
    await expectTold(await ways["an upgrade"]!.send(), "an upgrade, at its first step");
    recover();
    for (const [what, way] of Object.entries(ways)) {
      breakDown(`${stripe.url}/v1/checkout/sessions`, paymentFaults[fault]!);
      await expectTold(await way.send(), what);
      recover();
      expect(await way.paid(), what).toBe(false);
      await stripe.pay(checkoutOf(await way.send()));
      expect(await way.paid(), what).toBe(true);
    }
    expect(
      await world.sql(
        "select kind from public.orders where owner = $1 and status = 'paid' order by kind",
        [owner.id],
      ),
    ).toEqual([{ kind: "job" }, { kind: "sponsorship" }, { kind: "upgrade" }]);
  });

  it("under “Manage billing”, the page says so, and works later", async () => {
    await stripe.pay(checkoutOf(await ways["an upgrade"]!.send()));
    breakDown(everything, paymentFaults[fault]!);
    const page = await owner.submit(`/listings/${listing.id}/billing`);
    expect(page).toHaveStatus(503);
    expect(page).toSay("it alone can show your billing. Nothing has changed: please try again");
    expect(page).toSay("Manage billing");
    expect(page.body).not.toMatch(SECRETS);
    recover();
    expect((await owner.post(`/listings/${listing.id}/billing`)).location).toMatch(
      new RegExp(`^${stripe.url}/`),
    );
  });

  it("under “Check now” and under giving dates back, it is said, and nothing changes", async () => {
    const checkout = checkoutOf(await ways["a sponsorship"]!.send());
    const back = stripe.cancelUrl(checkout)!.slice(world.appUrl.length);
    const order = (await owner.page(back)).value("order");
    breakDown(everything, paymentFaults[fault]!);
    for (const intent of ["check-payment", "abandon-checkout"]) {
      const sent = await owner.post(back, { intent, order });
      expect(sent).toHaveStatus(303);
      expect(await owner.page(sent.location!)).toSay("We can’t ask our payment provider just now.");
    }
    recover();
    await stripe.pay(checkout);
    expect(await sponsored()).toMatchObject([{ paid: true }]);
  });
});

/** Asks Stripe what a request asks, past what this test has put in front of it. */
async function throughTo(request: Request): Promise<Response> {
  const { url, method, headers } = bypass(request);
  return fetch(url, {
    method,
    headers,
    body: method === "POST" ? await request.clone().text() : undefined,
  });
}

describe("when the payment provider hangs", () => {
  it("every form is answered within ten seconds, with its order kept", async () => {
    const upgraded = await world.listing({ owner });
    await stripe.pay(
      checkoutOf(
        await owner.submit("/upgrade", {
          intent: "upgrade",
          place: String(upgraded.id),
          plan: "monthly",
        }),
      ),
    );
    breakDown(everything, hangs);
    const named = async (what: string, answer: Promise<Answer>) => ({ what, answer: await answer });
    const { result, waitedMs } = await measureWaiting(() =>
      Promise.all([
        named("manage billing", owner.submit(`/listings/${upgraded.id}/billing`)),
        named("a new job", owner.submit("/jobs/new", jobForm({ title: "Kept" }))),
        ...Object.entries(ways).map(([what, { send }]) => named(what, send())),
      ]),
    );
    const [billing, ...answers] = result;
    expect(waitedMs).toBeLessThan(10_000);
    expect(billing.answer).toHaveStatus(503);
    for (const { what, answer } of answers) {
      expect(answer.status, what).toBeOneOf([303, 503]);
      if (answer.status === 503)
        expect(answer.text, what).toMatch(/Nothing was charged, and your order is kept/);
      else expect(answer.location, what).not.toContain(stripe.url);
    }
    recover();
    expect(await owner.page("/jobs")).toSay("Kept");
    for (const { send } of Object.values(ways)) await stripe.pay(checkoutOf(await send()));
  });

  it("as when each of its answers takes seconds, an answer of ours does not take their sum", async () => {
    outside.use(
      http.all(everything, async ({ request }) => {
        await new Promise((done) => setTimeout(done, 3_500));
        return throughTo(request);
      }),
    );
    const { result: page, waitedMs } = await measureWaiting(() =>
      owner.submit("/upgrade", {
        intent: "upgrade",
        place: String(listing.id),
        plan: "monthly",
      }),
    );
    expect(waitedMs).toBeLessThan(10_000);
    await expectTold(page, "an upgrade");
    recover();
    await stripe.pay(checkoutOf(await ways["an upgrade"]!.send()));
  });
});

it("an answer of the payment provider that is lost on its way is asked for again: one checkout, one customer", async () => {
  for (const { send } of Object.values(ways)) {
    let lost = 0;
    outside.use(
      http.post(everything, async ({ request }) => {
        await throughTo(request);
        lost += 1;
        return HttpResponse.error();
      }),
    );
    await expectTold(await send(), "lost");
    expect(lost).toBeGreaterThan(0);
    recover();
    await stripe.pay(checkoutOf(await send()));
  }
  expect(
    stripe.account.store
      .all("customer")
      .filter((one) => !one.deleted && one.metadata["user"] === owner.id),
  ).toHaveLength(1);
  const orders = (await world.sql("select id from public.orders where owner = $1", [owner.id])).map(
    ({ id }) => id,
  );
  const sessions = stripe.account.store
    .all("checkout.session")
    .filter(({ client_reference_id: order }) => orders.includes(order));
  expect(sessions.filter(({ status }) => status !== "expired")).toHaveLength(3);
});

it("a failure that the payment provider keeps repeating under its key keeps nobody from paying", async () => {
  outside.use(
    http.post(`${stripe.url}/v1/customers`, ({ request }) =>
      request.headers.get("Idempotency-Key")?.startsWith("customer-")
        ? HttpResponse.json(
            { error: { type: "api_error", message: "An unknown error occurred" } },
            { status: 500, headers: { "Idempotent-Replayed": "true" } },
          )
        : undefined,
    ),
  );
  await stripe.pay(checkoutOf(await ways["an upgrade"]!.send()));
  expect(await ways["an upgrade"]!.paid()).toBe(true);
});

it.each(faultNames)(
  "a webhook is to be sent again when the payment provider %s, and has its effect then",
  async (fault) => {
    const checkout = checkoutOf(await ways["a job"]!.send());
    stripe.pauseWebhooks();
    await stripe.pay(checkout);
    const event = stripe.events("checkout.session.completed").at(-1)!;
    breakDown(everything, faults[fault]!);
    await stripe.deliver(event.id);
    expect(stripe.attempts(event.id).at(-1)).toMatchObject({ status: 503 });
    expect(
      await world.sql("select from public.stripe_events where id = $1", [event.id]),
    ).toHaveLength(0);
    recover();
    await stripe.resumeWebhooks();
    await stripe.advanceClock(3_600_000);
    expect(await world.row("jobs", job.id)).toMatchObject({ paid: true, published: true });
  },
);
