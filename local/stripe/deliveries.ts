import { createHmac } from "node:crypto";

import type { Stripe } from "stripe";

import type { Account } from "./account";
import { newId } from "./ids";

/** One sending of an event to an endpoint: tried until it is taken or the time is over. */
export interface Delivery {
  id: string;
  event: string;
  endpoint: string;
  attempts: Attempt[];
  /** When it is tried next, by the account's clock; null when that is over, or while deliveries are held. */
  dueMs: number | null;
  state: "waiting" | "held" | "taken" | "given up";
}

export interface Attempt {
  atMs: number;
  /** The HTTP status; 0 when there was no answer. */
  status: number;
  /** What the endpoint said, or why it did not. */
  words: string;
}

/** Sends a signed event to an endpoint and gives its status and words. Throws when there is no answer. */
export type Send = (
  url: string,
  body: string,
  headers: Record<string, string>,
) => Promise<{ status: number; words: string }>;

/** How long after the first attempt the others follow: soon at first, since an app that is being started is back soon. */
const RETRIES_AFTER_S = [5, 30, 300, 1_800, 7_200, 18_000, 36_000, 86_400, 172_800, 259_200];
const WORDS_KEPT = 300;

/** Lays an event out for every endpoint that wants it. Gives how many that are. */
export function newDeliveries(account: Account, event: Pick<Stripe.Event, "id" | "type">): number {
  const endpoints = account.store
    .all("webhook_endpoint")
    .filter(
      (one) =>
        one.status === "enabled" &&
        (one.enabled_events.includes("*") || one.enabled_events.includes(event.type)),
    );
  for (const endpoint of endpoints.reverse()) layOut(account, event.id, endpoint.id);
  return endpoints.length;
}

/** One more delivery, held when deliveries are. */
function layOut(account: Account, event: string, endpoint: string): Delivery {
  const held = account.settings.deliveriesHeld;
  const delivery: Delivery = {
    id: newId("del"),
    event,
    endpoint,
    attempts: [],
    dueMs: held ? null : account.nowMs,
    state: held ? "held" : "waiting",
  };
  return account.store.put("delivery", delivery.id, delivery);
}

/**
 * Sends an event so many times, now or after a while, to every endpoint that it was laid out for: what was
 * held of it first, then again.
 */
export function sendNow(account: Account, event: string, times = 1, afterMs = 0): void {
  account.store.change(() => {
    const deliveries = account.store
      .all("delivery")
      .reverse()
      .filter((one) => one.event === event);
    for (const endpoint of new Set(deliveries.map((one) => one.endpoint))) {
      const held = deliveries
        .filter((one) => one.endpoint === endpoint && one.state === "held")
        .slice(0, times);
      for (const one of held) release(account, one, afterMs);
      for (let more = held.length; more < times; more += 1)
        release(account, layOut(account, event, endpoint), afterMs);
    }
  });
}

/** Lets a delivery go that was held. */
function release(account: Account, delivery: Delivery, afterMs = 0): Delivery {
  return account.store.put("delivery", delivery.id, {
    ...delivery,
    dueMs: account.nowMs + afterMs,
    state: "waiting",
  });
}

/** Keeps deliveries back from now on; or lets go, in their order, those that were kept back. */
export function holdDeliveries(account: Account, held: boolean): void {
  account.store.change(() => {
    account.changeSettings({ deliveriesHeld: held });
    if (held) return;
    for (const one of account.store.all("delivery").reverse())
      if (one.state === "held") release(account, one);
  });
}

/** Sends what is due, one after another in the order in which it became due. */
export class Courier {
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    readonly account: Account,
    readonly send: Send,
  ) {}

  /** Resolves when nothing is due any more. */
  run(): Promise<void> {
    this.#running = this.#running.then(() => this.#sendDue());
    return this.#running;
  }

  /** Sends nothing more; resolves when what is under way has its answer. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.#running;
  }

  async #sendDue(): Promise<void> {
    while (!this.#stopped) {
      const due = this.account.store
        .all("delivery")
        .reverse()
        .filter((one) => one.state === "waiting" && one.dueMs! <= this.account.nowMs)
        .sort((one, other) => one.dueMs! - other.dueMs!)[0];
      if (!due) return;
      await this.#attempt(due);
    }
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { store } = this.account;
    const endpoint = store.find("webhook_endpoint", delivery.endpoint);
    const event = store.find("event", delivery.event);
    const secret = store.find("signing_secret", delivery.endpoint)?.secret;
    if (!endpoint || !event || !secret) {
      store.change(() =>
        store.put("delivery", delivery.id, { ...delivery, state: "given up", dueMs: null }),
      );
      return;
    }
    const body = JSON.stringify(event, null, 2);
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "stripe-signature": signature(body, secret),
    };
    const answer = await this.send(endpoint.url, body, headers).catch((problem: unknown) => ({
      status: 0,
      words: problem instanceof Error ? problem.message : String(problem),
    }));

    const attempt: Attempt = {
      atMs: this.account.nowMs,
      status: answer.status,
      words: answer.words.slice(0, WORDS_KEPT),
    };
    const attempts = [...delivery.attempts, attempt];
    const taken = answer.status >= 200 && answer.status < 300;
    const wait = RETRIES_AFTER_S[delivery.attempts.length];
    store.change(() => {
      if (taken || wait === undefined) {
        store.put("delivery", delivery.id, {
          ...delivery,
          attempts,
          state: taken ? "taken" : "given up",
          dueMs: null,
        });
      } else {
        store.put("delivery", delivery.id, {
          ...delivery,
          attempts,
          dueMs: attempts[0]!.atMs + wait * 1000,
        });
      }
      const open = store
        .all("delivery")
        .filter((one) => one.event === event.id && ["waiting", "held"].includes(one.state));
      if (open.length !== event.pending_webhooks)
        store.put("event", event.id, { ...event, pending_webhooks: open.length });
    });
  }
}

/** The header that proves who sent it. Its time is the real one, by which the receiver judges its age. */
export function signature(body: string, secret: string, atMs = Date.now()): string {
  const time = Math.floor(atMs / 1000);
  return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
}
