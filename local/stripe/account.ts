import type { Stripe } from "stripe";

import { newDeliveries } from "./deliveries";
import { newId } from "./ids";
import { noSuch, Refusal } from "./refusal";
import { FIRST_SETTINGS, type Settings } from "./settings";
import type { Kind, Records, Store } from "./store";

export const API_VERSION = "2026-10-28.endive";
export const ACCOUNT_NAME = "Local stand-in";

/** An object that an event can be about. */
interface Subject {
  id: string;
  object: string;
}

/** The Stripe account that the stand-in plays: its objects, its clock, its log of events. */
export class Account {
  /** Which request is being answered, for the events it leads to. */
  #request: Stripe.Event.Request = { id: null, idempotency_key: null };

  constructor(
    readonly store: Store,
    /** Where the API and the hosted pages are. */
    readonly origin: string,
  ) {}

  get settings(): Settings {
    return this.store.find("setting", "all") ?? FIRST_SETTINGS;
  }

  changeSettings(changes: Partial<Settings>): void {
    this.store.change(() => this.store.put("setting", "all", { ...this.settings, ...changes }));
  }

  /** The time on the account's own clock, in milliseconds. */
  get nowMs(): number {
    return Date.now() + this.settings.aheadMs;
  }

  /** The same in whole seconds, as Stripe counts. */
  get now(): number {
    return Math.floor(this.nowMs / 1000);
  }

  /** Answers a request: all of it or, when it throws, nothing. */
  answer<Result>(request: Stripe.Event.Request, work: () => Result): Result {
    this.#request = request;
    try {
      return this.store.change(work);
    } finally {
      this.#request = { id: null, idempotency_key: null };
    }
  }

  /** @throws Refusal that names the parameter, or a 404 when there is none */
  find<K extends Kind>(kind: K, id: string, param?: string, name: string = kind): Records[K] {
    const found = this.store.find(kind, id);
    if (!found) throw noSuch(name.replaceAll("_", " "), id, param);
    return found;
  }

  /** A customer who is not deleted. */
  customer(id: string, param?: string): Stripe.Customer {
    const found = this.find("customer", id, param);
    if (found.deleted) throw noSuch("customer", id, param);
    return found;
  }

  /**
   * Puts an object and, when a type is given, records the event that tells of it. An object that was there
   * before gives the event its previous values.
   */
  save<K extends Kind>(
    kind: K,
    value: Records[K] & Subject,
    happened?: Stripe.Event["type"],
  ): Records[K] {
    const before = this.store.find(kind, value.id);
    this.store.put(kind, value.id, value);
    if (happened)
      this.happened(
        happened,
        value,
        before && happened.endsWith(".updated") ? changed(before, value) : undefined,
      );
    return value;
  }

  /** Records an event, to be delivered to the webhook endpoints that want it. */
  happened(type: Stripe.Event["type"], object: Subject, previous?: object): Stripe.Event {
    const event = {
      id: newId("evt"),
      object: "event",
      api_version: API_VERSION,
      created: this.now,
      data: { object, ...(previous ? { previous_attributes: previous } : {}) },
      livemode: false,
      pending_webhooks: 0,
      request: this.#request,
      type,
    } as unknown as Stripe.Event;
    const waiting = newDeliveries(this, event);
    return this.store.put("event", event.id, { ...event, pending_webhooks: waiting });
  }
}

/** The values before, of what is other now. */
function changed(before: object, now: object): Record<string, unknown> {
  const entries = Object.entries(before).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify((now as Record<string, unknown>)[name]),
  );
  return Object.fromEntries(entries);
}

/** A state in which an object refuses what is asked of it. */
export function wrongState(message: string, code?: string): Refusal {
  return new Refusal(message, code ? { code } : {});
}
