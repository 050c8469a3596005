import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

import SDK, { type Stripe } from "stripe";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";

import { textOf } from "../../local/html";
import { listenOnLoopback } from "../../local/listener";
import { advanceClock } from "../../local/stripe/clock";
import { LocalStripe } from "../../local/stripe/local-stripe";
import { resendEvent } from "../../local/stripe/webhook-deliveries";
import { sdkAddress } from "../support/stripe";

/** An app that receives webhooks over HTTP, and answers with `answer`. */
const received: { id: string; type: string }[] = [];
let answer = { status: 200, body: "thanks", location: "" };
let badSignatures = 0;
const app = createServer((request, response) => {
  void bodyOf(request).then((body) => {
    try {
      const event = sdk.webhooks.constructEvent(
        body,
        request.headers["stripe-signature"] ?? "",
        endpoint.secret!,
      );
      received.push({ id: event.id, type: event.type });
    } catch {
      badSignatures += 1;
    }
    response
      .writeHead(answer.status, answer.location ? { location: answer.location } : {})
      .end(answer.body);
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
const sdk = new SDK(secretKey, { ...sdkAddress(listener.url), telemetry: false });
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
  received.splice(0);
  badSignatures = 0;
  answer = { status: 200, body: "thanks", location: "" };
});

afterEach(() => stripe.deliverWebhooks());

const MINUTE_MS = 60_000;
async function advance(ms: number): Promise<void> {
  advanceClock(account, ms);
  await stripe.deliverWebhooks();
}
/** Creates a customer. Returns the event of that. */
async function causeEvent(): Promise<Stripe.Event> {
  const { id } = await sdk.customers.create({ email: "a@example.test" });
  await stripe.deliverWebhooks();
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
  it("is delivered at once, signed, to the endpoints that subscribe to its type", async () => {
    const event = await causeEvent();
    expect(received).toEqual([{ id: event.id, type: "customer.created" }]);
    await sdk.customers.del((event.data.object as { id: string }).id);
    await stripe.deliverWebhooks();
    expect([received.length, badSignatures]).toEqual([1, 0]);
    expect(account.get("event", event.id)).toMatchObject({
      pending_webhooks: 0,
      api_version: "2026-10-28.endive",
    });
  });

  it("contains the previous values, and the request that caused it", async () => {
    const { id } = await sdk.customers.create({ email: "a@example.test" });
    const { lastResponse } = await sdk.customers.update(
      id,
      { email: "b@example.test" },
      { idempotencyKey: "update-1" },
    );
    const event = account.store.all("event").find(({ type }) => type === "customer.updated");
    expect(event).toMatchObject({
      data: {
        object: { id, email: "b@example.test" },
        previous_attributes: { email: "a@example.test" },
      },
      request: { id: lastResponse.requestId, idempotency_key: "update-1" },
    });
  });

  it.each([
    ["fails", { status: 500, body: "database busy", location: "" }],
    ["refuses it", { status: 400, body: "no", location: "" }],
    ["redirects", { status: 303, body: "", location: "/elsewhere" }],
  ])("is retried when the app %s, until it is delivered", async (_what, refusal) => {
    answer = refusal;
    const event = await causeEvent();
    expect([received.length, account.get("event", event.id).pending_webhooks]).toEqual([1, 1]);
    await advance(4_000);
    expect(received).toHaveLength(1);
    await advance(1_000);
    expect(received).toHaveLength(2);
    answer = { status: 204, body: "", location: "" };
    await advance(30_000);
    expect([received.length, account.get("event", event.id).pending_webhooks]).toEqual([3, 0]);
    await advance(60 * MINUTE_MS);
    expect(received).toHaveLength(3);
    expect(await pageText(`/events/${event.id}`)).toContain(
      `${refusal.status} ${refusal.body}`.trim(),
    );
  });

  it("fails for good after three days, and can still be sent by hand", async () => {
    answer = { status: 503, body: "", location: "" };
    const event = await causeEvent();
    await advance(3 * 24 * 60 * MINUTE_MS + 1000);
    const tries = received.length;
    expect(tries).toBe(11);
    await advance(24 * 60 * MINUTE_MS);
    expect(received).toHaveLength(tries);
    expect(await pageText(`/events/${event.id}`)).toContain("Failed (11 tries, last: 503)");
    answer = { status: 200, body: "", location: "" };
    resendEvent(account, event.id);
    await stripe.deliverWebhooks();
    expect(await pageText(`/events/${event.id}`)).toContain("Delivered; Failed");
  });

  it("is retried when the endpoint cannot be reached", async () => {
    const nowhere = await sdk.webhookEndpoints.create({
      url: "http://127.0.0.1:1/webhooks",
      enabled_events: ["customer.created"],
    });
    const event = await causeEvent();
    expect(received).toHaveLength(1);
    expect(await pageText(`/events/${event.id}`)).toContain(
      "Delivered; Retrying soon (1 try, last: no answer)",
    );
    account.store.transaction(() => {
      const moved = { ...account.get("webhook_endpoint", nowhere.id), url: appUrl };
      account.store.put("webhook_endpoint", nowhere.id, moved);
    });
    await advance(5_000);
    // It is signed with the secret of the other endpoint, which this app notices.
    expect(badSignatures).toBe(1);
    await sdk.webhookEndpoints.update(nowhere.id, { disabled: true });
  });

  it("is listed as delivered once every endpoint has confirmed it", async () => {
    const listed = async (delivery_success: boolean, types = ["customer.created"]) =>
      (await sdk.events.list({ delivery_success, limit: 100, types })).data.map(({ id }) => id);
    answer = { status: 500, body: "", location: "" };
    const event = await causeEvent();
    expect(await listed(false)).toContain(event.id);
    expect(await listed(true)).not.toContain(event.id);
    expect(await listed(false, ["customer.updated"])).not.toContain(event.id);
    await advance(4 * 24 * 60 * MINUTE_MS);
    expect(await listed(false)).toContain(event.id);
    answer = { status: 200, body: "", location: "" };
    resendEvent(account, event.id);
    await stripe.deliverWebhooks();
    expect(await listed(false)).not.toContain(event.id);
    expect(await listed(true)).toContain(event.id);
    await advance(27 * 24 * 60 * MINUTE_MS);
    expect(await listed(true)).not.toContain(event.id);
    expect(await sdk.events.retrieve(event.id)).toMatchObject({ type: "customer.created" });
  });

  it("is not delivered to a disabled endpoint", async () => {
    await sdk.webhookEndpoints.update(endpoint.id, { disabled: true });
    await causeEvent();
    expect(received).toEqual([]);
    await sdk.webhookEndpoints.update(endpoint.id, { disabled: false });
  });
});

describe("the events page", () => {
  it("lists the events with the answers of the app, and shows each event as JSON", async () => {
    const event = await causeEvent();
    expect(await pageText()).toContain("customer.created");
    expect(await pageText(`/events/${event.id}`)).toMatch(/200 thanks.*"object": "event"/);
    await sdk.products.create({ name: "Not subscribed" });
    expect(await pageText()).not.toContain("product.created");
    expect(await pageText("/events?all")).toContain("product.created");
    expect((await fetch(`${listener.url}/events/evt_gone`)).status).toBe(404);
  });

  it("sends an event again, twice, and later", async () => {
    const event = await causeEvent();
    await press("send", [
      ["event", event.id],
      ["how", "once"],
    ]);
    expect(received).toHaveLength(2);
    await press("send", [
      ["event", event.id],
      ["how", "twice"],
    ]);
    expect(received).toHaveLength(4);
    const answered = await press("send", [
      ["event", event.id],
      ["how", "later"],
      ["back", `/events/${event.id}`],
    ]);
    expect([received.length, answered.headers.get("location")]).toEqual([4, `/events/${event.id}`]);
    await advance(MINUTE_MS);
    expect(received.map(({ id }) => id)).toEqual(Array.from({ length: 5 }, () => event.id));
  });

  it("pauses webhooks, and sends them in another order", async () => {
    await press("hold");
    const events = [await causeEvent(), await causeEvent(), await causeEvent()].map(({ id }) => id);
    expect(received).toEqual([]);
    expect(await pageText()).toContain("Paused");
    await press("send", [
      ...events.map((id): [string, string] => ["event", id]),
      ["how", "reverse"],
    ]);
    expect(received.map(({ id }) => id)).toEqual(events.toReversed());
    const last = await causeEvent();
    await press("release");
    expect(received.at(-1)!.id).toBe(last.id);
    expect(received).toHaveLength(4);
  });

  it("moves the clock ahead, never back", async () => {
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
    expect(await pageText()).toMatch(/\d+ days ahead/);
  });

  it("refuses a form of another site", async () => {
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
    expect(account.settings.webhooksPaused).toBe(false);
    expect((await fetch(`${listener.url}/events/hold`)).status).toBe(405);
  });
});
