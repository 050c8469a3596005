/**
 * Stripe's webhook events: accepted only with a fresh signature, and with the same result however late, how often, and in
 * which order they arrive. On real Postgres, because only there do a hundred deliveries really overlap.
 */
import fc from "fast-check";
import { bypass, http } from "msw";
import SDK from "stripe";
import { afterEach, describe, expect, it, vi } from "vitest";

import { insertJob, openCheckoutAs } from "../support/buyer";
import { listNewsletterDates } from "../support/newsletter-dates";
import { timesTried } from "../support/nightly";
import { outside } from "../support/outside";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({
  stripe: true,
});
const { log } = await import("~/http/log.server");
const { stripe } = world;
afterEach(() => stripe.resumeWebhooks());

const owner = await world.owner();
const DAY = 24 * 60 * 60 * 1000;

const newJob = () => insertJob(world, owner);
const payFor = (jobId: number) => openCheckoutAs(world, owner, { kind: "job", jobId });
const sessionOf = (checkout: string) => new URL(checkout).pathname.split("/").at(-1)!;

/** A job that was paid at Stripe, with the event that has not been delivered yet. */
async function payWithoutDelivery() {
  const job = await newJob();
  stripe.pauseWebhooks();
  const checkout = await payFor(job);
  const back = await stripe.pay(checkout);
  const event = stripe
    .events("checkout.session.completed")
    .find(({ data }) => (data.object as { id: string }).id === sessionOf(checkout))!;
  return { job, checkout, back: back.slice(world.appUrl.length), event };
}

const jobIs = async (id: number) =>
  (await world.row("jobs", id)) as {
    paid: boolean;
    published: boolean;
    expiration_date: Date | string | null;
  };
const daysOf = async (id: number) =>
  (new Date((await jobIs(id)).expiration_date ?? Number.NaN).getTime() - Date.now()) / DAY;
const knownEvents = async (id: string) =>
  (await world.sql("select from public.stripe_events where id = $1", [id])).length;
/** How many emails of a kind were queued about an order or a subscription. */
const countEmails = async (kind: string, id: unknown) =>
  (await world.sql("select from private.email_queue where key ~ $1", [`^${kind}:${String(id)}`]))
    .length;

/** A webhook request as Stripe signs it. */
function signed(body: string, { secret = stripe.webhookSecret, ageSeconds = 0 } = {}) {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  return {
    body,
    headers: {
      "Stripe-Signature": SDK.webhooks.generateTestHeaderString({
        payload: body,
        secret,
        timestamp,
      }),
    },
  };
}
const send = (message: { body: string; headers: Record<string, string> }) =>
  world
    .anonymous()
    .post("/webhooks/stripe", undefined, { ...message, origin: null, secFetchSite: null });

describe("the signature", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it.each([
    ["is missing", (body: string) => ({ body, headers: {} })],
    ["is empty", (body: string) => ({ body, headers: { "Stripe-Signature": "" } })],
    [
      "is of another secret",
      (body: string) => signed(body, { secret: "whsec_of_another_account" }),
    ],
    ["is ten minutes old", (body: string) => signed(body, { ageSeconds: 600 })],
    [
      "is of a reformatted body",
      (body: string) => ({ ...signed(body), body: JSON.stringify(JSON.parse(body), null, 3) }),
    ],
    [
      "is of another event",
      (body: string) => ({ ...signed(body), body: body.replace(/evt_\w+/, "evt_another") }),
    ],
    [
      "is truncated",
      (body: string) => ({
        body,
        headers: { "Stripe-Signature": signed(body).headers["Stripe-Signature"].slice(0, -1) },
      }),
    ],
    [
      "is of the weaker scheme",
      (body: string) => ({
        body,
        headers: {
          "Stripe-Signature": signed(body).headers["Stripe-Signature"].replace("v1=", "v0="),
        },
      }),
    ],
  ])("that %s is rejected, and nothing changes", async (_how, forge) => {
    const { job, event } = await payWithoutDelivery();
    const answer = await send(forge(JSON.stringify(event)));
    expect(answer).toHaveStatus(400);
    expect(answer.body).not.toMatch(/whsec|sk_test/);
    expect(await jobIs(job)).toMatchObject({ paid: false, published: false });
    expect(await knownEvents(event.id)).toBe(0);
  });

  it("that fails is in the log once an hour, with what is wrong here if Stripe sent it, and admins see how many", async () => {
    const { event } = await payWithoutDelivery();
    vi.useFakeTimers({ now: Date.now() + 86_400_000, toFake: ["Date"] });
    const warned = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
    const body = JSON.stringify(event);
    const sendAll = async () => {
      for (let times = 0; times < 3; times += 1) {
        await send(signed(body, { secret: "whsec_of_another_account" }));
        await send(signed(body, { ageSeconds: 600 }));
      }
    };
    const reasons = () =>
      warned.mock.calls.map(([detail]) => (detail as { reason: string }).reason);
    await sendAll();
    expect(reasons()).toEqual(["signature", "late"]);
    expect(warned.mock.calls[0]).toEqual([
      expect.objectContaining({
        meaning: expect.stringContaining("STRIPE_WEBHOOK_SECRET") as string,
      }),
      "payment event not accepted",
    ]);
    vi.setSystemTime(Date.now() + 3_600_000);
    await sendAll();
    expect(reasons()).toEqual(["signature", "late", "signature", "late"]);
    vi.useRealTimers();
    const { details } = (await (await world.admin()).get("/readyz")).data as { details: string[] };
    expect(details.join(" ")).toMatch(
      /didn’t accept: \d+, .+ STRIPE_WEBHOOK_SECRET .+ didn’t accept: \d+, .+ clock/,
    );
  });

  it("that is valid lets the event have its effect", async () => {
    const { job, event } = await payWithoutDelivery();
    expect(await send(signed(JSON.stringify(event)))).toHaveStatus(204);
    expect(await jobIs(job)).toMatchObject({ paid: true, published: true });
    expect(await knownEvents(event.id)).toBe(1);
  });

  it("does not make an event true: what Stripe answers when asked counts", async () => {
    const job = await newJob();
    const checkout = await payFor(job);
    const session = {
      ...stripe.session(sessionOf(checkout)),
      status: "complete",
      payment_status: "paid",
      amount_total: 1,
    };
    const event = {
      id: "evt_lie",
      object: "event",
      type: "checkout.session.completed",
      created: Math.floor(Date.now() / 1000),
      data: { object: session },
    };
    expect(await send(signed(JSON.stringify(event)))).toHaveStatus(204);
    expect(await jobIs(job)).toMatchObject({ paid: false, published: false });
  });

  it("of a checkout that only its buyer says is for an order pays for nothing", async () => {
    const job = await newJob();
    await payFor(job);
    const [order] = await world.sql("select * from public.orders where job_id = $1", [job]);
    // As a payment link of the same account does, to whose address its buyer adds ?client_reference_id=.
    const other = await stripe.sdk.checkout.sessions.create({
      mode: "payment",
      customer: order!["stripe_customer_id"] as string,
      client_reference_id: order!["id"] as string,
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: "usd",
            unit_amount: Number(order!["price_cents"]),
            product_data: { name: "Something else" },
          },
        },
      ],
      success_url: "https://elsewhere.example/thanks",
    });
    await stripe.pay(other.url!);
    const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
    await reconcilePayments({ dryRun: false, days: 1, log: log() });
    expect(await jobIs(job)).toMatchObject({ paid: false, published: false });
    expect(
      (await world.sql("select status from public.orders where job_id = $1", [job])).map(
        ({ status }) => status,
      ),
    ).toEqual(["open"]);
  });

  it("of an event about no payment of ours is accepted, and the event is ignored", async () => {
    const event = (type: string, object: object) =>
      signed(
        JSON.stringify({
          id: `evt_${type.replaceAll(".", "_")}`,
          object: "event",
          type,
          created: 1,
          data: { object },
        }),
      );
    expect(await send(event("payout.paid", { id: "po_1" }))).toHaveStatus(204);
    expect(
      await send(
        event("customer.subscription.deleted", { id: "sub_of_another_shop", metadata: {} }),
      ),
    ).toHaveStatus(204);
    expect(
      await send(
        event("checkout.session.completed", { id: "cs_test_x", metadata: { order: "not ours" } }),
      ),
    ).toHaveStatus(204);
    expect(await knownEvents("evt_customer_subscription_deleted")).toBe(0);
  });
});

describe("an event", () => {
  it("finds its payment by what it refers to, also without metadata", async () => {
    const job = await newJob();
    const checkout = await payFor(job);
    await stripe.pay(checkout);
    const payment = stripe.session(sessionOf(checkout)).payment_intent as string;
    stripe.pauseWebhooks();
    const { id } = await stripe.dispute(payment);
    const event = { id: "evt_bare", type: "charge.dispute.created", created: 1_700_000_000 };
    const object = { id, payment_intent: payment };
    expect(await stripe.sendSigned({ ...event, data: { object } })).toMatchObject({ status: 204 });
    const order = await orderOf("job_id", job);
    expect(await world.row("orders", order)).toMatchObject({ status: "disputed" });
    await stripe.resumeWebhooks();
  });

  it("delivered a hundred times at once has one effect", async () => {
    const { job, event } = await payWithoutDelivery();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => send(signed(JSON.stringify(event)))),
    );
    // A delivery that had to wait too long is asked to retry. None fails.
    expect(new Set(answers.map(({ status }) => status))).toEqual(
      new Set(answers.some(({ status }) => status === 503) ? [204, 503] : [204]),
    );
    expect(await send(signed(JSON.stringify(event)))).toHaveStatus(204);

    expect(await daysOf(job)).toBeCloseTo(45, 1);
    expect(await knownEvents(event.id)).toBe(1);
    const orders = await world.sql("select id, status from public.orders where job_id = $1", [job]);
    expect(orders).toMatchObject([{ status: "paid" }]);
    expect(await countEmails("order-receipt", orders[0]!["id"])).toBe(1);
  });

  it("takes two sequential calls to the database, and one when it was handled already", async () => {
    const { event } = await payWithoutDelivery();
    const first = await send(signed(JSON.stringify(event)));
    expect(first).toTakeAtMostSequentialCalls(2);
    expect(await send(signed(JSON.stringify(event)))).toTakeAtMostSequentialCalls(1);
  });

  it.each([
    [
      "before the success page",
      async (person: Member, back: string, deliver: () => Promise<unknown>) => {
        await deliver();
        await person.page(back);
      },
    ],
    [
      "after the success page",
      async (person: Member, back: string, deliver: () => Promise<unknown>) => {
        expect(await person.page(back)).toSay("We’re confirming your payment");
        await deliver();
      },
    ],
    [
      "after the success page was asked to check",
      async (person: Member, back: string, deliver: () => Promise<unknown>) => {
        const order = (await person.page(back)).value("order");
        await person.post(back, { intent: "check-payment", order });
        await deliver();
      },
    ],
    [
      "hours later",
      async (person: Member, back: string, deliver: () => Promise<unknown>) => {
        await person.page(back);
        await stripe.advanceClock(6 * 3_600_000);
        await deliver();
      },
    ],
  ])("delivered %s leads to the same result", async (_when, happens) => {
    const { job, event, back } = await payWithoutDelivery();
    await happens(owner, back, () => stripe.deliver(event.id));
    await stripe.resumeWebhooks();
    expect(await owner.page(back)).toSay("Payment received. Your job listing is live!");
    expect(await jobIs(job)).toMatchObject({ paid: true, published: true });
    expect(await daysOf(job)).toBeCloseTo(45, 1);
    const orders = await world.sql(
      "select id, status, amount_paid_cents::int as cents from public.orders where job_id = $1",
      [job],
    );
    expect(orders).toMatchObject([{ status: "paid", cents: 500 }]);
    expect(await countEmails("order-receipt", orders[0]!["id"])).toBe(1);
  });
});

/** All permutations of a few items. */
function permute<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((one, index) =>
    permute(items.toSpliced(index, 1)).map((rest) => [one, ...rest]),
  );
}

/** Stores everything that a payment changes. Returns a function that restores it. */
async function snapshot(order: string, table: "jobs" | "places", thing: number) {
  const [stored] = await world.sql(
    `select to_jsonb(o) - 'price_cents' as order, (select to_jsonb(t) from public.${table} t where t.id = $2) as thing from public.orders o where o.id = $1`,
    [order, thing],
  );
  const columns =
    table === "jobs"
      ? "paid, published, expiration_date"
      : "premium, premium_created_at, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at";
  return async () => {
    await world.sql("delete from public.stripe_events");
    await world.sql(
      "delete from public.refunds r using public.payments p where p.id = r.payment_id and p.order_id = $1",
      [order],
    );
    await world.sql("delete from public.payments where order_id = $1", [order]);
    await world.sql("delete from public.subscriptions where order_id = $1", [order]);
    await world.sql("delete from private.email_queue where key ~ $1", [order]);
    await world.sql("delete from public.orders where id = $1", [order]);
    const names = Object.keys(stored!["order"] as object).join(", ");
    await world.sql(
      `insert into public.orders (${names}) select ${names} from jsonb_populate_record(null::public.orders, $1::jsonb)`,
      [JSON.stringify(stored!["order"])],
    );
    await world.sql(
      `update public.${table} t set (${columns}) = (select ${columns} from jsonb_populate_record(null::public.${table}, $1::jsonb)) where t.id = $2`,
      [JSON.stringify(stored!["thing"]), thing],
    );
  };
}

const orderOf = async (column: "job_id" | "place_id", id: number) =>
  String((await world.sql(`select id from public.orders where ${column} = $1`, [id]))[0]!["id"]);

describe("the events of one checkout", () => {
  it("that was paid and refunded lead to the same result in every order, each delivered twice", async () => {
    const job = await newJob();
    stripe.pauseWebhooks();
    const checkout = await payFor(job);
    const order = await orderOf("job_id", job);
    const restore = await snapshot(order, "jobs", job);
    const before = stripe.events().length;
    await stripe.pay(checkout);
    await stripe.refund(stripe.session(sessionOf(checkout)).payment_intent as string);
    const events = stripe
      .events()
      .slice(before)
      .filter(({ type }) => /^(checkout\.session|refund|charge\.refunded)/.test(type))
      .map(({ id }) => id);
    expect(events.length).toBeGreaterThanOrEqual(3);

    for (const delivered of permute(events)) {
      await restore();
      for (const event of delivered) await stripe.deliver(event, { times: 2 });
      const ended = await world.sql(
        "select status, amount_refunded_cents::int as back, refund_reason from public.orders where id = $1",
        [order],
      );
      expect(ended, delivered.join()).toEqual([
        { status: "refunded", back: 500, refund_reason: null },
      ]);
      expect(await jobIs(job), delivered.join()).toMatchObject({
        paid: false,
        published: false,
        expiration_date: null,
      });
      expect(await countEmails("order-receipt", order)).toBe(1);
      expect(await countEmails("payment-returned", order)).toBe(1);
    }
  });
});

describe("the events of one subscription", () => {
  const featured = async (id: number) => {
    const [row] = await world.sql(
      `select p.premium, p.subscription_status, p.subscription_ends_at, s.status, s.surplus, o.status as ordered
       from public.places p join public.subscriptions s on s.place_id = p.id join public.orders o on o.place_id = p.id where p.id = $1`,
      [id],
    );
    return row;
  };

  it("lead to the same result in random orders, some during its life, some later, some twice", async () => {
    const luck = fc.noShrink(fc.array(fc.nat(99), { minLength: 200, maxLength: 200 }));
    const anyOrder = fc.asyncProperty(luck, fc.boolean(), async (numbers, goesOn) => {
      const left = [...numbers];
      const chance = (percent: number) => (left.pop() ?? 0) < percent;
      const listing = await world.listing({ owner });
      stripe.pauseWebhooks();
      const checkout = await openCheckoutAs(world, owner, {
        kind: "upgrade",
        placeId: listing.id,
        plan: "monthly",
      });
      const order = await orderOf("place_id", listing.id);
      const seen = new Set<string>();
      const undelivered = new Set<string>();
      /** Delivers some of the events so far in a random order, some twice, and some again later. */
      const deliverSome = async (percent: number) => {
        for (const { id, data } of stripe.events()) {
          if (seen.has(id) || !JSON.stringify(data).includes(order)) continue;
          seen.add(id);
          undelivered.add(id);
        }
        const some = fc.sample(
          fc.shuffledSubarray(
            [...undelivered].filter(() => chance(percent)),
            { minLength: 0 },
          ),
          { numRuns: 1, seed: left.at(-1) },
        )[0]!;
        for (const event of percent === 100 ? undelivered : some) {
          await stripe.deliver(event, { times: chance(30) ? 2 : 1 });
          if (chance(70)) undelivered.delete(event);
        }
      };
      await stripe.pay(checkout);
      await deliverSome(50);
      const subscription = stripe.session(sessionOf(checkout)).subscription as string;
      await stripe.renew(subscription, "declined");
      await deliverSome(50);
      await stripe.fixCard(subscription);
      await deliverSome(50);
      await stripe.cancelAtPeriodEnd(subscription);
      await deliverSome(50);
      if (goesOn) await stripe.undoCancellation(subscription);
      else await stripe.cancelNow(subscription);
      await deliverSome(60);
      await deliverSome(100);
      expect(await featured(listing.id)).toEqual({
        premium: goesOn,
        subscription_status: goesOn ? "active" : "canceled",
        subscription_ends_at: null,
        status: goesOn ? "active" : "canceled",
        surplus: false,
        ordered: "paid",
      });
      expect(await countEmails("order-receipt", order)).toBe(1);
      // At most one email for each bill; none when its event arrived too late.
      expect(await countEmails("payment-failed", subscription)).toBeLessThanOrEqual(1);
    });
    await fc.assert(anyOrder, { numRuns: timesTried(2, 24), seed: 45 });
  });
});

it("a late answer of Stripe’s never overwrites a newer one", async () => {
  const listing = await world.listing({ owner });
  const checkout = await openCheckoutAs(world, owner, {
    kind: "upgrade",
    placeId: listing.id,
    plan: "monthly",
  });
  await stripe.pay(checkout);
  const subscription = stripe.session(sessionOf(checkout)).subscription as string;
  const event = stripe.events("customer.subscription.created").at(-1)!;
  await world.sql("delete from public.stripe_events where id = $1", [event.id]);

  // Stripe answers "active" for one delivery. Before the answer arrives, the subscription ends, which another delivery reports.
  let [answered, arrive] = [() => {}, () => {}];
  const hasAnswered = new Promise<void>((done) => (answered = done));
  const mayArrive = new Promise<void>((done) => (arrive = done));
  outside.use(
    http.get(
      `${stripe.url}/v1/subscriptions/${subscription}`,
      async ({ request }) => {
        const { url, headers } = bypass(request);
        const answer = await fetch(url, { headers });
        answered();
        await mayArrive;
        return answer;
      },
      { once: true },
    ),
  );
  const late = send(signed(JSON.stringify(event)));
  await hasAnswered;
  await stripe.cancelNow(subscription);
  expect(await world.row("places", listing.id)).toMatchObject({ premium: false });
  arrive();
  expect(await late).toHaveStatus(204);
  expect(await world.row("places", listing.id)).toMatchObject({
    premium: false,
    subscription_status: "canceled",
  });
});

describe("a refund", () => {
  async function paidJob() {
    const job = await newJob();
    const checkout = await payFor(job);
    await stripe.pay(checkout);
    return {
      job,
      payment: stripe.session(sessionOf(checkout)).payment_intent as string,
      order: await orderOf("job_id", job),
    };
  }
  const statusOf = async (order: string) => (await world.row("orders", order))!["status"];

  it("of a part of the price revokes nothing", async () => {
    const { job, payment, order } = await paidJob();
    await stripe.refund(payment, 200);
    expect(await jobIs(job)).toMatchObject({ paid: true, published: true });
    expect(await world.row("orders", order)).toMatchObject({ status: "paid" });
    expect(Number((await world.row("orders", order))!["amount_refunded_cents"])).toBe(200);
    await stripe.refund(payment, 300);
    expect(await statusOf(order)).toBe("refunded");
    expect(await jobIs(job)).toMatchObject({ paid: false, published: false });
  });

  it("of a renewal removes only its days", async () => {
    const { job } = await paidJob();
    const { location } = await owner.post(`/jobs/${job}/status`, { intent: "renew" });
    await stripe.pay(location!);
    expect(await daysOf(job)).toBeCloseTo(90, 1);
    await stripe.refund(stripe.session(sessionOf(location!)).payment_intent as string);
    expect(await daysOf(job)).toBeCloseTo(45, 1);
    expect(await jobIs(job)).toMatchObject({ paid: true, published: true });
  });

  it("of all payments, in whatever order, leaves the job unpaid", async () => {
    for (const isFirstFirst of [true, false]) {
      const { job, payment } = await paidJob();
      const { location } = await owner.post(`/jobs/${job}/status`, { intent: "renew" });
      await stripe.pay(location!);
      const payments = [payment, stripe.session(sessionOf(location!)).payment_intent as string];
      for (const one of isFirstFirst ? payments : payments.toReversed()) await stripe.refund(one);
      expect(await jobIs(job)).toMatchObject({ paid: false, published: false });
    }
  });

  it("because of a dispute revokes the job once the dispute is lost, not before", async () => {
    const [lost, won] = [await paidJob(), await paidJob()];
    for (const { payment, job, order } of [lost, won]) {
      const dispute = await stripe.dispute(payment);
      expect(await statusOf(order)).toBe("disputed");
      expect(await jobIs(job)).toMatchObject({ paid: true, published: true });
      await stripe.closeDispute(dispute.id, order === won.order);
    }
    expect(await jobIs(lost.job)).toMatchObject({ paid: false, published: false });
    expect(await statusOf(lost.order)).toBe("disputed");
    expect(await jobIs(won.job)).toMatchObject({ paid: true, published: true });
    expect(await statusOf(won.order)).toBe("paid");
  });

  it("of a sponsorship releases its future dates", async () => {
    const listing = await world.listing({ owner });
    const [day] = await listNewsletterDates(world);
    const { id } = await world.insert("sponsorships", {
      place_id: listing.id,
      promo_text: "Buns!",
      owner: owner.id,
      sponsorship_dates: `{${day}}`,
    });
    const checkout = await openCheckoutAs(world, owner, {
      kind: "sponsorship",
      sponsorshipId: id as number,
    });
    await stripe.pay(checkout);
    const countTaken = async () =>
      (
        await world.sql(
          "select held_count, paid_count from public.sponsorship_dates where weekday_date = $1",
          [day],
        )
      )[0];
    expect(await countTaken()).toEqual({ held_count: 0, paid_count: 1 });
    await stripe.refund(stripe.session(sessionOf(checkout)).payment_intent as string);
    expect(await countTaken()).toEqual({ held_count: 0, paid_count: 0 });
    expect(await world.row("sponsorships", id)).toMatchObject({ paid: false });
  });
});
