/**
 * The forms that lead to Stripe while it fails: the order is kept, the page says that nothing was charged, and paying
 * works later. Every form gets a response, whatever Stripe does.
 */
import { bypass, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, it } from "vitest";

import { insertJob } from "../support/buyer";
import type { Answer } from "../support/answer";
import { jobForm, sponsorshipForm } from "../support/forms";
import { listNewsletterDates } from "../support/newsletter-dates";
import { everyThird } from "../support/nightly";
import { outside } from "../support/outside";
import { measureWaiting } from "../support/waiting-time";
import { createWorld, type Member } from "../support/world";

import { breakDown, faultNames, faults, hangs, recover } from "./outage";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const everything = `${stripe.url}/v1/*`;
const dates = await listNewsletterDates(world);

/** Stripe's own error responses. */
const stripeError = (status: number, error: object) => () =>
  HttpResponse.json({ error }, { status, headers: { "Stripe-Should-Retry": "false" } });
const paymentFaults: typeof faults = {
  ...faults,
  "limits the rate": stripeError(429, {
    type: "invalid_request_error",
    code: "rate_limit",
    message: "Request rate limit exceeded.",
  }),
  "reports an internal error": stripeError(500, {
    type: "api_error",
    message: "An unknown error occurred",
  }),
};

let owner: Member;
let listing: { id: number };
let job: { id: number };

beforeEach(async () => {
  owner = await world.owner();
  listing = await world.listing({ owner });
  job = { id: await insertJob(world, owner) };
  await world.sql("delete from public.sponsorship_spots");
});

const sponsored = async () =>
  (await world.sql("select id, paid from public.sponsorships where owner = $1", [owner.id])) as {
    id: number;
    paid: boolean;
  }[];

/** The forms that lead to a checkout, and how to tell that the item is paid. */
const checkouts: Record<string, { send: () => Promise<Answer>; paid: () => Promise<boolean> }> = {
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

/** Expects the response, or the page it redirects to, to say that nothing was charged. */
async function expectNotCharged(answer: Answer, called: string) {
  expect(answer.status, called).toBeOneOf([303, 503]);
  const page = answer.status === 303 ? await owner.page(answer.location!) : answer;
  expect(page.text, called).toMatch(/You weren’t charged, and your order is saved/);
  expect(page.body, called).not.toMatch(SECRETS);
}

/** Expects a redirect to Stripe. Returns the checkout's URL. */
function checkoutOf(answer: Answer): string {
  expect(answer.status, answer.text).toBe(303);
  expect(answer.location).toMatch(new RegExp(`^${stripe.url}/`));
  return answer.location!;
}

it("an order whose checkout could not be opened can also be paid hours later", async () => {
  for (const [what, way] of Object.entries(checkouts)) {
    breakDown(everything, paymentFaults["reports an internal error"]!);
    await expectNotCharged(await way.send(), what);
    await world.sql(
      "update public.orders set expires_at = expires_at - interval '3 hours' where owner = $1",
      [owner.id],
    );
    await expectNotCharged(await way.send(), `${what}, again`);
    await world.sql(
      "update public.orders set expires_at = expires_at - interval '3 hours' where owner = $1",
      [owner.id],
    );
    recover();
    await stripe.pay(checkoutOf(await way.send()));
    expect(await way.paid(), what).toBe(true);
  }
});

describe.each(everyThird(Object.keys(paymentFaults), 2))(
  "when the payment provider %s",
  (fault) => {
    it("during a checkout, nothing is charged, and the order can be paid later", async () => {
      breakDown(everything, paymentFaults[fault]!);
      await expectNotCharged(
        await checkouts["an upgrade"]!.send(),
        "an upgrade, at its first step",
      );
      recover();
      for (const [what, way] of Object.entries(checkouts)) {
        breakDown(`${stripe.url}/v1/checkout/sessions`, paymentFaults[fault]!);
        await expectNotCharged(await way.send(), what);
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

    it("during “Manage billing”, the page says so, and works later", async () => {
      await stripe.pay(checkoutOf(await checkouts["an upgrade"]!.send()));
      breakDown(everything, paymentFaults[fault]!);
      const page = await owner.submit(`/listings/${listing.id}/billing`);
      expect(page).toHaveStatus(503);
      expect(page).toSay("so we can’t open your billing. Nothing has changed. Please try again");
      expect(page).toSay("Manage billing");
      expect(page.body).not.toMatch(SECRETS);
      recover();
      expect((await owner.post(`/listings/${listing.id}/billing`)).location).toMatch(
        new RegExp(`^${stripe.url}/`),
      );
    });

    it("after a plan was canceled or kept, the page says what was done; before, that it may have been", async () => {
      await stripe.pay(checkoutOf(await checkouts["an upgrade"]!.send()));
      const page = `/listings/${listing.id}/billing`;
      const { stripe_subscription_id: plan } = (await world.row("places", listing.id)) as {
        stripe_subscription_id: string;
      };
      for (const [intent, done] of [
        ["cancel-plan", "Your plan is canceled."],
        ["keep-plan", "Your plan continues."],
      ] as const) {
        breakDown(`${stripe.url}/v1/subscriptions/${plan}`, paymentFaults[fault]!);
        const unread = await owner.submit(page, { intent });
        expect(unread).toHaveStatus(503);
        expect(unread).toSay("nothing has changed");
        recover();
        const isTaken = () =>
          stripe.subscription(plan).cancel_at_period_end === (intent === "cancel-plan");
        breakDown(`${stripe.url}/v1/invoices`, paymentFaults[fault]!, isTaken);
        expect(await owner.submit(page, { intent })).toRedirectTo(page);
        expect(await owner.page(page)).toSay(done);
        expect(isTaken()).toBe(true);
        recover();
      }
    });

    it("during “Check now” and releasing dates, the page says so, and nothing changes", async () => {
      const checkout = checkoutOf(await checkouts["a sponsorship"]!.send());
      const back = stripe.cancelUrl(checkout)!.slice(world.appUrl.length);
      const order = (await owner.page(back)).value("order");
      breakDown(everything, paymentFaults[fault]!);
      for (const intent of ["check-payment", "abandon-checkout"]) {
        const sent = await owner.post(back, { intent, order });
        expect(sent).toHaveStatus(303);
        expect(await owner.page(sent.location!)).toSay(
          "We can’t reach our payment provider right now.",
        );
      }
      recover();
      await stripe.pay(checkout);
      expect(await sponsored()).toMatchObject([{ paid: true }]);
    });
  },
);

/** Forwards a request to the Stripe stand-in, past the handlers of this test. */
async function forward(request: Request): Promise<Response> {
  const { url, method, headers } = bypass(request);
  return fetch(url, {
    method,
    headers,
    body: method === "POST" ? await request.clone().text() : undefined,
  });
}

describe("when the payment provider hangs", () => {
  it("every form gets a response within ten seconds, and its order is saved", async () => {
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
        named("a new job", owner.submit("/jobs/new", jobForm({ title: "Saved" }))),
        ...Object.entries(checkouts).map(([what, { send }]) => named(what, send())),
      ]),
    );
    const [billing, ...answers] = result;
    expect(waitedMs).toBeLessThan(10_000);
    expect(billing.answer).toHaveStatus(503);
    for (const { what, answer } of answers) {
      expect(answer.status, what).toBeOneOf([303, 503]);
      if (answer.status === 503)
        expect(answer.text, what).toMatch(/You weren’t charged, and your order is saved/);
      else expect(answer.location, what).not.toContain(stripe.url);
    }
    recover();
    expect(await owner.page("/jobs")).toSay("Saved");
    for (const { send } of Object.values(checkouts)) await stripe.pay(checkoutOf(await send()));
  });

  it("or takes seconds for each answer, a response does not take their sum", async () => {
    outside.use(
      http.all(everything, async ({ request }) => {
        await new Promise((done) => setTimeout(done, 3_500));
        return forward(request);
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
    await expectNotCharged(page, "an upgrade");
    recover();
    await stripe.pay(checkoutOf(await checkouts["an upgrade"]!.send()));
  });
});

it("retries a lost answer of the payment provider, with one checkout and one customer", async () => {
  for (const { send } of Object.values(checkouts)) {
    let lost = 0;
    outside.use(
      http.post(everything, async ({ request }) => {
        await forward(request);
        lost += 1;
        return HttpResponse.error();
      }),
    );
    await expectNotCharged(await send(), "lost");
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

it("payment works although the payment provider repeats an earlier failure for its idempotency key", async () => {
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
  await stripe.pay(checkoutOf(await checkouts["an upgrade"]!.send()));
  expect(await checkouts["an upgrade"]!.paid()).toBe(true);
});

it.each(everyThird(faultNames, 0))(
  "a webhook event is retried when the payment provider %s, and then has its effect",
  async (fault) => {
    const checkout = checkoutOf(await checkouts["a job"]!.send());
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
