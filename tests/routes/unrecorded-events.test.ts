/**
 * Stripe's webhook events that can't be recorded, or are no events at all: nothing is lost, and the team finds out.
 */
import fc from "fast-check";
import { http, HttpResponse } from "msw";
import SDK from "stripe";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { breakDown, faultNames, faults, recover } from "../faults/outage";
import { insertJob, openCheckoutAs } from "../support/buyer";
import { everyThird } from "../support/nightly";
import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { log } = await import("~/http/log.server");
const { STRIPE_EVENTS } = await import("~/modules/billing/stripe-setup.server");
const { countUndeliveredEvents } = await import("~/modules/billing/undelivered-events.server");

const owner = await world.owner();
const { recordRun } = await import("~/integrations/supabase/scheduled-runs.server");
for (const name of ["emails:send", "erase-due", "billing:reconcile"] as const)
  await recordRun(name);

interface Line {
  level: "error" | "warn";
  detail: Record<string, unknown>;
  message: string;
}
let lines: Line[];
beforeEach(() => {
  lines = [];
  for (const level of ["error", "warn"] as const)
    vi.spyOn(log(), level).mockImplementation(((detail: Line["detail"], message: string) =>
      lines.push({ level, detail, message })) as never);
});
afterEach(() => stripe.resumeWebhooks());

const send = (body: string) =>
  world.anonymous().post("/webhooks/stripe", undefined, {
    body,
    headers: {
      "Stripe-Signature": SDK.webhooks.generateTestHeaderString({
        payload: body,
        secret: stripe.webhookSecret,
      }),
    },
    origin: null,
    secFetchSite: null,
  });

/** A job that was paid at Stripe, with the event that has not been delivered yet. */
async function payWithoutDelivery() {
  const job = await insertJob(world, owner);
  stripe.pauseWebhooks();
  const checkout = await openCheckoutAs(world, owner, { kind: "job", jobId: job });
  await stripe.pay(checkout);
  const event = stripe.events("checkout.session.completed").at(-1)!;
  return { job, event };
}

const detailsFor = async (role: "admin" | "owner") => {
  const person = role === "admin" ? await world.admin() : owner;
  return ((await person.get("/readyz")).data as { details?: string[] }).details;
};

describe("an event that the database rejects", () => {
  it("is an error in the log with its order and constraint, is counted, and is sent again", async () => {
    const { job, event } = await payWithoutDelivery();
    const [order] = await world.sql("select id from public.orders where job_id = $1", [job]);
    await world.sql(
      "alter table public.orders add constraint no_five_dollars check (amount_paid_cents is distinct from 500) not valid",
    );
    try {
      for (let times = 1; times <= 2; times += 1) {
        lines = [];
        // The second one does not name its order.
        const named = {
          ...event.data.object,
          ...(times === 2 ? { metadata: null } : {}),
        };
        const sent = JSON.stringify({ ...event, data: { object: named } });
        expect(await send(sent)).toHaveStatus(500);
        expect(lines).toEqual([
          {
            level: "error",
            detail: expect.objectContaining({
              event: event.id,
              type: "checkout.session.completed",
              order: order!["id"],
              code: "23514",
              constraint: "no_five_dollars",
            }) as object,
            message: "payment event could not be recorded",
          },
        ]);
        // Postgres quotes the whole row in its detail.
        expect(JSON.stringify(lines)).not.toMatch(new RegExp(`Failing row|${owner.email}|Bake`));
        expect(await detailsFor("admin")).toEqual([
          expect.stringMatching(
            new RegExp(`^Payment events we couldn’t record: ${times}, last at .+ UTC\\.`),
          ),
        ]);
      }
      expect(await detailsFor("owner")).toBeUndefined();
      expect((await world.anonymous().get("/readyz")).data).toEqual({ status: "ready" });
    } finally {
      await world.sql("alter table public.orders drop constraint no_five_dollars");
    }
    expect(await send(JSON.stringify(event))).toHaveStatus(204);
    expect(await world.row("jobs", job)).toMatchObject({ paid: true, published: true });
  });

  it("with a code of our own is an error with that code", async () => {
    const { event } = await payWithoutDelivery();
    await world.sql(
      "create function private.reject_all() returns trigger language plpgsql as $$ begin perform private.refuse('payment_open'); end $$",
    );
    await world.sql(
      "create trigger reject_all before update on public.orders for each row execute function private.reject_all()",
    );
    try {
      expect(await send(JSON.stringify(event))).toHaveStatus(500);
      expect(lines).toMatchObject([
        { level: "error", detail: { event: event.id, code: "P0001", reason: "payment_open" } },
      ]);
    } finally {
      await world.sql("drop trigger reject_all on public.orders");
    }
    expect(await send(JSON.stringify(event))).toHaveStatus(204);
  });
});

describe.each([
  ["the database", `${world.supabase.url}/*`],
  ["the payment provider", `${stripe.url}/v1/*`],
])("while %s", (_name, address) => {
  it.each(everyThird(faultNames, 2))("%s, an event gets 503 and is retried", async (fault) => {
    const { job, event } = await payWithoutDelivery();
    breakDown(address, faults[fault]!);
    const answer = await send(JSON.stringify(event));
    expect(answer).toHaveStatus(503);
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
    recover();
    expect(await send(JSON.stringify(event))).toHaveStatus(204);
    expect(await world.row("jobs", job)).toMatchObject({ paid: true });
  });
});

describe("a signed message that is not a usable event", () => {
  const event = (changes: object = {}) => ({
    id: "evt_odd",
    object: "event",
    type: "checkout.session.completed",
    created: 1,
    data: { object: { id: "cs_test_odd", client_reference_id: null } },
    ...changes,
  });

  it.each<[string, unknown]>([
    ["has no data", event({ data: undefined })],
    ["has data that is null", event({ data: null })],
    ["is about nothing", event({ data: { object: null } })],
    ["is about a list", event({ data: { object: [] } })],
    ["is about a text", event({ data: { object: "cs_test_odd" } })],
    ["is about an object without an id", event({ data: { object: {} } })],
    ["has an id with a NUL", event({ data: { object: { id: "cs_\u0000" } } })],
    ["has no id", event({ id: undefined })],
    ["has no time", event({ created: null })],
    ["has a type that no one asked for", event({ type: "payout.paid" })],
    ["has the name of a method as its type", event({ type: "toString" })],
    ["has no type", event({ type: null })],
    ["is a list of events", [event()]],
    ["is null", null],
    ["is a number", 5],
    ["is a newer kind of event", { id: "evt_thin", object: "v2.core.event", type: "v1.x" }],
  ])("that %s is set aside with a warning", async (_what, message) => {
    expect(await send(JSON.stringify(message))).toHaveStatus(204);
    expect(lines).toMatchObject([{ level: "warn" }]);
    const sent = message as { id?: string } | null;
    if (sent?.id) expect(lines[0]!.detail).toMatchObject({ event: sent.id });
  });

  it("that is no JSON is set aside with a warning", async () => {
    expect(await send('{"id": "evt_1')).toHaveStatus(204);
    expect(lines).toMatchObject([{ level: "warn" }]);
  });

  it("with metadata that is null still has its effect", async () => {
    const { job, event } = await payWithoutDelivery();
    const { data } = event;
    const odd = {
      ...event,
      data: { object: { ...data.object, metadata: null, client_reference_id: null } },
    };
    expect(await send(JSON.stringify(odd))).toHaveStatus(204);
    expect(await world.row("jobs", job)).toMatchObject({ paid: true });
    expect(lines).toEqual([]);
  });

  it("is never answered by an error, whatever it holds", async () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const odd = fc.oneof(
      value,
      fc
        .record(
          {
            id: fc.oneof(fc.constant("evt_odd"), value),
            type: fc.constantFrom(...STRIPE_EVENTS),
            created: fc.oneof(fc.nat(), value),
            data: fc.oneof(
              value,
              fc.record({
                object: fc.oneof(
                  value,
                  fc.record(
                    {
                      id: fc.oneof(fc.constantFrom("cs_test_odd", "sub_odd", "re_odd"), value),
                      metadata: fc.oneof(value, fc.record({ order: fc.oneof(fc.uuid(), value) })),
                      client_reference_id: fc.oneof(fc.uuid(), value),
                      payment_intent: fc.oneof(value, fc.record({ id: value })),
                      parent: fc.oneof(
                        value,
                        fc.record({
                          subscription_details: fc.oneof(value, fc.record({ subscription: value })),
                        }),
                      ),
                    },
                    { requiredKeys: [] },
                  ),
                ),
              }),
            ),
          },
          { requiredKeys: ["type"] },
        )
        .map((fields) => ({ object: "event", ...fields })),
    );
    await fc.assert(
      fc.asyncProperty(odd, async (message) => {
        expect(await send(JSON.stringify(message))).toHaveStatus(204);
      }),
      { numRuns: 150 },
    );
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  });
});

describe("events that have not arrived", () => {
  const MINUTE_MS = 60_000;
  const now = Date.now();
  /** A minute later than the count before, since a count is used for a minute. */
  let minutes = 0;
  const countLater = () => {
    minutes += 1;
    vi.setSystemTime(now + minutes * MINUTE_MS);
    return countUndeliveredEvents();
  };
  beforeEach(() => void vi.useFakeTimers({ now, toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  it("are counted at Stripe, once a minute at most", async () => {
    expect(await countLater()).toBe(0);
    await payWithoutDelivery();
    expect(await countUndeliveredEvents()).toBe(0);
    const waiting = await countLater();
    expect(waiting).toBeGreaterThan(0);
    await stripe.resumeWebhooks();
    expect(await countUndeliveredEvents()).toBe(waiting);
    expect(await countLater()).toBe(0);
  });

  it("are not counted when they are older than Stripe sends them again", async () => {
    await payWithoutDelivery();
    minutes = 3 * 24 * 60 - 2;
    expect(await countLater()).toBeGreaterThan(0);
    minutes += 60;
    expect(await countLater()).toBe(0);
  });

  it("are counted only when they are of a kind that we asked for", async () => {
    await countLater();
    const before = await countLater();
    stripe.pauseWebhooks();
    await stripe.sdk.customers.create({ email: "odd@example.test" });
    expect(await countLater()).toBe(before);
  });

  it("are an unknown number while Stripe does not answer", async () => {
    outside.use(http.get(`${stripe.url}/v1/events`, () => HttpResponse.error()));
    expect(await countLater()).toBeNull();
    expect(lines).toEqual([]);
  });

  it("are an unknown number to a key that may not read them, which the log says", async () => {
    const error = { type: "invalid_request_error", message: "This key may not." };
    outside.use(
      http.get(`${stripe.url}/v1/events`, () => HttpResponse.json({ error }, { status: 403 })),
    );
    expect(await countLater()).toBeNull();
    expect(lines).toMatchObject([{ level: "warn", detail: { failure: "misconfigured" } }]);
  });
});
