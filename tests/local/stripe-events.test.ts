import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import SDK, { type Stripe } from "stripe";
import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { textOf } from "../../local/html";
import { listenOnLoopback } from "../../local/listener";
import { sendNow } from "../../local/stripe/deliveries";
import { moveClock } from "../../local/stripe/passing-time";
import { LocalStripe } from "../../local/stripe/stripe";
import { addressOf } from "../support/stripe";

/** An app that takes webhooks over HTTP, and answers as it is told. */
const taken: { id: string; type: string }[] = [];
let answer = { status: 200, words: "thanks", location: "" };
let refused = 0;
const app = createServer((request, response) => {
  void bodyOf(request).then((body) => {
    try {
      const event = sdk.webhooks.constructEvent(
        body,
        request.headers["stripe-signature"] ?? "",
        endpoint.secret!,
      );
      taken.push({ id: event.id, type: event.type });
    } catch {
      refused += 1;
    }
    response
      .writeHead(answer.status, answer.location ? { location: answer.location } : {})
      .end(answer.words);
  });
}).listen(0, "127.0.0.1");
async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
await new Promise((resolve) => app.once("listening", resolve));
const appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;

const secretKey = "sk_test_events_0123456789abcdef";
const listener = await listenOnLoopback(
  0,
  async (request) => (await stripe.fetch(request)) ?? new Response(null, { status: 404 }),
);
const stripe = new LocalStripe({ origin: listener.url, secretKey, appUrl });
const { account } = stripe;
const sdk = new SDK(secretKey, { ...addressOf(listener.url), telemetry: false });
const endpoint = await sdk.webhookEndpoints.create({
  url: `${appUrl}/webhooks/stripe`,
  enabled_events: ["customer.created", "customer.updated"],
  description: "The app",
});
afterAll(async () => {
  await stripe.stop();
  await listener.close();
  app.close();
});
beforeEach(() => {
  taken.splice(0);
  refused = 0;
  answer = { status: 200, words: "thanks", location: "" };
});

const MINUTE_MS = 60_000;
async function advance(ms: number): Promise<void> {
  moveClock(account, ms);
  await stripe.settled();
}
/** A customer, and the event that tells of them. */
async function happens(): Promise<Stripe.Event> {
  const { id } = await sdk.customers.create({ email: "a@example.test" });
  await stripe.settled();
  return account.store
    .all("event")
    .find((event) => (event.data.object as { id: string }).id === id)!;
}
const press = (step: string, fields: [string, string][] = []) =>
  fetch(`${listener.url}/events/${step}`, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
const pageText = async (path = "/events"): Promise<string> =>
  textOf(await (await fetch(`${listener.url}${path}`)).text()).replace(/\s+/g, " ");

describe("an event", () => {
  it("is sent over HTTP at once, signed, to whoever asks for its type", async () => {
    const event = await happens();
    expect(taken).toEqual([{ id: event.id, type: "customer.created" }]);
    await sdk.customers.del((event.data.object as { id: string }).id);
    await stripe.settled();
    expect([taken.length, refused]).toEqual([1, 0]);
    expect(await sdk.events.retrieve(event.id)).toMatchObject({
      pending_webhooks: 0,
      api_version: "2026-10-28.endive",
    });
  });

  it("tells what was before, and which request it came from", async () => {
    const { id } = await sdk.customers.create({ email: "a@example.test" });
    const { lastResponse } = await sdk.customers.update(
      id,
      { email: "b@example.test" },
      { idempotencyKey: "update-1" },
    );
    const {
      data: [event],
    } = await sdk.events.list({ type: "customer.updated", limit: 1 });
    expect(event).toMatchObject({
      data: {
        object: { id, email: "b@example.test" },
        previous_attributes: { email: "a@example.test" },
      },
      request: { id: lastResponse.requestId, idempotency_key: "update-1" },
    });
    expect(
      (await sdk.events.list({ types: ["customer.*"], limit: 2 })).data.map(({ type }) => type),
    ).toEqual(["customer.updated", "customer.created"]);
  });

  it.each([
    ["fails", { status: 500, words: "database busy", location: "" }],
    ["refuses it", { status: 400, words: "no", location: "" }],
    ["redirects, which is not followed", { status: 303, words: "", location: "/elsewhere" }],
  ])("is sent again when the app %s, until it is taken", async (_what, refusal) => {
    answer = refusal;
    const event = await happens();
    expect([taken.length, (await sdk.events.retrieve(event.id)).pending_webhooks]).toEqual([1, 1]);
    await advance(4_000);
    expect(taken).toHaveLength(1);
    await advance(1_000);
    expect(taken).toHaveLength(2);
    answer = { status: 204, words: "", location: "" };
    await advance(30_000);
    expect([taken.length, (await sdk.events.retrieve(event.id)).pending_webhooks]).toEqual([3, 0]);
    await advance(60 * MINUTE_MS);
    expect(taken).toHaveLength(3);
    expect(await pageText(`/events/${event.id}`)).toContain(
      `${refusal.status} ${refusal.words}`.trim(),
    );
  });

  it("is given up after three days", async () => {
    answer = { status: 503, words: "", location: "" };
    const event = await happens();
    await advance(3 * 24 * 60 * MINUTE_MS + 1000);
    const tries = taken.length;
    expect(tries).toBe(11);
    await advance(24 * 60 * MINUTE_MS);
    expect(taken).toHaveLength(tries);
    expect(await pageText(`/events/${event.id}`)).toContain("Given up (11 tries, last: 503)");
    answer = { status: 200, words: "", location: "" };
    sendNow(account, event.id);
    await stripe.settled();
    expect(await pageText(`/events/${event.id}`)).toContain("Taken; Given up");
  });

  it("waits where nobody answers, and comes when somebody does", async () => {
    const nowhere = await sdk.webhookEndpoints.create({
      url: "http://127.0.0.1:1/webhooks",
      enabled_events: ["customer.created"],
    });
    const event = await happens();
    expect(taken).toHaveLength(1);
    expect(await pageText(`/events/${event.id}`)).toContain(
      "Taken; Tried again soon (1 try, last: no answer)",
    );
    await sdk.webhookEndpoints.update(nowhere.id, { url: `${appUrl}/webhooks/stripe` });
    await advance(5_000);
    // It is signed for another endpoint, which this app can tell.
    expect(refused).toBe(1);
    await sdk.webhookEndpoints.del(nowhere.id);
  });

  it("is not sent to an endpoint that is turned off", async () => {
    await sdk.webhookEndpoints.update(endpoint.id, { disabled: true });
    await happens();
    expect(taken).toEqual([]);
    await sdk.webhookEndpoints.update(endpoint.id, { disabled: false });
  });
});

describe("the events page", () => {
  it("lists what happened, with what the app said, and each event whole", async () => {
    const event = await happens();
    expect(await pageText()).toContain("customer.created");
    expect(await pageText(`/events/${event.id}`)).toMatch(/200 thanks.*"object": "event"/);
    await sdk.products.create({ name: "Nobody asks for it" });
    expect(await pageText()).not.toContain("product.created");
    expect(await pageText("/events?all")).toContain("product.created");
    expect((await fetch(`${listener.url}/events/evt_gone`)).status).toBe(404);
  });

  it("sends one again, twice, and later", async () => {
    const event = await happens();
    await press("send", [
      ["event", event.id],
      ["how", "once"],
    ]);
    expect(taken).toHaveLength(2);
    await press("send", [
      ["event", event.id],
      ["how", "twice"],
    ]);
    expect(taken).toHaveLength(4);
    const answered = await press("send", [
      ["event", event.id],
      ["how", "later"],
      ["back", `/events/${event.id}`],
    ]);
    expect([taken.length, answered.headers.get("location")]).toEqual([4, `/events/${event.id}`]);
    await advance(MINUTE_MS);
    expect(taken.map(({ id }) => id)).toEqual(Array.from({ length: 5 }, () => event.id));
  });

  it("holds events back, and sends them in another order", async () => {
    await press("hold");
    const events = [await happens(), await happens(), await happens()].map(({ id }) => id);
    expect(taken).toEqual([]);
    expect(await pageText()).toContain("Held back");
    await press("send", [
      ...events.map((id): [string, string] => ["event", id]),
      ["how", "reverse"],
    ]);
    expect(taken.map(({ id }) => id)).toEqual(events.toReversed());
    const last = await happens();
    await press("release");
    expect(taken.at(-1)!.id).toBe(last.id);
    expect(taken).toHaveLength(4);
  });

  it("moves the clock ahead, and never back", async () => {
    const before = account.now;
    await press("clock", [
      ["amount", "31"],
      ["unit", "days"],
    ]);
    expect(account.now - before).toBeGreaterThanOrEqual(31 * 86_400);
    await press("clock", [
      ["amount", "-5"],
      ["unit", "days"],
    ]);
    expect(account.now - before).toBeGreaterThanOrEqual(31 * 86_400);
    expect(await pageText()).toMatch(/3\d days ahead/);
  });

  it("takes no form of another site", async () => {
    for (const header of [
      ["origin", "https://evil.example"],
      ["sec-fetch-site", "cross-site"],
    ] as [string, string][]) {
      const answered = await fetch(`${listener.url}/events/hold`, {
        method: "POST",
        headers: [header],
      });
      expect(answered.status).toBe(403);
    }
    expect(account.settings.deliveriesHeld).toBe(false);
    expect((await fetch(`${listener.url}/events/hold`)).status).toBe(405);
  });
});
