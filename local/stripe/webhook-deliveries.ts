import { createHmac } from "node:crypto";

import type { Account } from "./account";
import type { Delivery, DeliveryAttempt } from "./records";

/** Sends a signed event to a URL; gives the response. Throws when there is none. */
export type SendWebhook = (
  url: string,
  body: string,
  headers: Record<string, string>,
) => Promise<{ status: number; body: string }>;

/**
 * When the attempts after the first follow. The first ones are soon, since an app that restarts is
 * back soon.
 */
const RETRIES_AFTER_S = [5, 30, 300, 1_800, 7_200, 18_000, 36_000, 86_400, 172_800, 259_200];
const MAX_STORED_BODY = 300;

/**
 * Sends an event a number of times, now or after a delay, to every endpoint that it was queued for.
 * Paused deliveries go first; what is missing is queued again.
 */
export function resendEvent(account: Account, event: string, times = 1, delayMs = 0): void {
  account.store.transaction(() => {
    const deliveries = account.store
      .all("delivery")
      .reverse()
      .filter((delivery) => delivery.event === event);
    for (const endpoint of new Set(deliveries.map((delivery) => delivery.endpoint))) {
      const paused = deliveries
        .filter((delivery) => delivery.endpoint === endpoint && delivery.state === "paused")
        .slice(0, times);
      for (const delivery of paused) release(account, delivery, delayMs);
      for (let sent = paused.length; sent < times; sent += 1)
        release(account, account.queueDelivery(event, endpoint), delayMs);
    }
  });
}

/** From now on webhooks wait until someone sends them. */
export function pauseWebhooks(account: Account): void {
  account.changeSettings({ webhooksPaused: true });
}

/** Releases what was paused, in its order; from now on webhooks are sent at once. */
export function resumeWebhooks(account: Account): void {
  account.store.transaction(() => {
    account.changeSettings({ webhooksPaused: false });
    for (const delivery of account.store.all("delivery").reverse())
      if (delivery.state === "paused") release(account, delivery);
  });
}

function release(account: Account, delivery: Delivery, delayMs = 0): void {
  account.store.put("delivery", delivery.id, {
    ...delivery,
    dueMs: account.nowMs + delayMs,
    state: "pending",
  });
}

/** Sends deliveries when they are due, one after another, in the order in which they became due. */
export class WebhookSender {
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    readonly account: Account,
    readonly send: SendWebhook,
  ) {}

  /** Resolves when nothing is due anymore. */
  run(): Promise<void> {
    this.#running = this.#running.then(() => this.#sendDue());
    return this.#running;
  }

  /** Sends nothing more; resolves when the delivery in progress has its response. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.#running;
  }

  async #sendDue(): Promise<void> {
    while (!this.#stopped) {
      const due = this.account.store
        .all("delivery")
        .reverse()
        .filter(({ state, dueMs }) => state === "pending" && dueMs! <= this.account.nowMs)
        .sort((one, other) => one.dueMs! - other.dueMs!)[0];
      if (!due) return;
      await this.#attempt(due);
    }
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { store } = this.account;
    const endpoint = this.account.get("webhook_endpoint", delivery.endpoint);
    const event = this.account.get("event", delivery.event);
    const { secret } = this.account.get("signing_secret", delivery.endpoint);
    const body = JSON.stringify(event, null, 2);
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "stripe-signature": signatureOf(body, secret),
    };
    const response = await this.send(endpoint.url, body, headers).catch((problem: unknown) => ({
      status: 0,
      body: problem instanceof Error ? problem.message : String(problem),
    }));

    const attempt: DeliveryAttempt = {
      atMs: this.account.nowMs,
      status: response.status,
      body: response.body.slice(0, MAX_STORED_BODY),
    };
    const attempts = [...delivery.attempts, attempt];
    const delivered = response.status >= 200 && response.status < 300;
    const retryAfterS = RETRIES_AFTER_S[delivery.attempts.length];
    store.transaction(() => {
      if (delivered || retryAfterS === undefined) {
        const state = delivered ? "delivered" : "failed";
        store.put("delivery", delivery.id, { ...delivery, attempts, state, dueMs: null });
      } else {
        const dueMs = attempts[0]!.atMs + retryAfterS * 1000;
        store.put("delivery", delivery.id, { ...delivery, attempts, dueMs });
      }
      const open = store
        .all("delivery")
        .filter((one) => one.event === event.id && ["pending", "paused"].includes(one.state));
      if (open.length !== event.pending_webhooks)
        store.put("event", event.id, { ...event, pending_webhooks: open.length });
    });
  }
}

/**
 * The signature header. It contains the real time, by which the receiver decides whether it is
 * recent.
 */
export function signatureOf(body: string, secret: string): string {
  const time = Math.floor(Date.now() / 1000);
  return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
}
