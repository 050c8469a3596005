import SDK, { type Stripe } from "stripe";

import { resourceMissing } from "./api-error";
import { newId } from "./ids";
import type { Delivery, Records, RecordType, Settings } from "./records";
import type { Store } from "./store";

/** The API version of the installed SDK, whose types every object here has. */
export const API_VERSION = SDK.API_VERSION;

const INITIAL_SETTINGS: Settings = {
  clockOffsetMs: 0,
  afterRetries: "cancel",
  webhooksPaused: false,
};
const NO_REQUEST: Stripe.Event.Request = { id: null, idempotency_key: null };

/** An object that an event can be about. */
interface EventSubject {
  id: string;
  object: string;
}

/** Something that happens by itself at a time, in seconds since 1970. */
export interface DueTask {
  at: number;
  run: () => void;
}

/** The Stripe account: its objects, its clock, and its log of events. */
export class Account {
  /** The request that is being answered; the events that it causes name it. */
  #request = NO_REQUEST;

  constructor(
    readonly store: Store,
    /** Origin of the API and the hosted pages. */
    readonly origin: string,
  ) {}

  get settings(): Settings {
    return this.store.find("settings", "all") ?? INITIAL_SETTINGS;
  }

  changeSettings(changes: Partial<Settings>): void {
    this.store.transaction(() =>
      this.store.put("settings", "all", { ...this.settings, ...changes }),
    );
  }

  /** The time on the account's own clock, in milliseconds. */
  get nowMs(): number {
    return Date.now() + this.settings.clockOffsetMs;
  }

  /** The time on the account's own clock, in whole seconds, as Stripe's API has it. */
  get now(): number {
    return Math.floor(this.nowMs / 1000);
  }

  /** Runs the work of an API request in one transaction. */
  runRequest<Result>(request: Stripe.Event.Request, work: () => Result): Result {
    this.#request = request;
    try {
      return this.store.transaction(work);
    } finally {
      this.#request = NO_REQUEST;
    }
  }

  /**
   * @param param the parameter that names the object; left out when the URL does
   * @throws ApiError when there is no such object
   */
  get<T extends RecordType>(type: T, id: string, param?: string): Records[T] {
    const found = this.store.find(type, id);
    if (found) return found;
    throw resourceMissing(type.replace("billing_portal.", "").replaceAll("_", " "), id, param);
  }

  /** A customer who is not deleted. */
  customer(id: string, param?: string): Stripe.Customer {
    const found = this.get("customer", id, param);
    if (found.deleted) throw resourceMissing("customer", id, param);
    return found;
  }

  /**
   * Stores an object and, when an event type is given, records that event. An `….updated` event
   * also contains the previous values of what changed.
   */
  save<T extends RecordType>(
    type: T,
    value: Records[T] & EventSubject,
    event?: Stripe.Event["type"],
  ): Records[T] {
    const before = this.store.find(type, value.id);
    this.store.put(type, value.id, value);
    if (event) {
      const previous =
        before && event.endsWith(".updated") ? changedValues(before, value) : undefined;
      this.recordEvent(event, value, previous);
    }
    return value;
  }

  /** Records an event, and queues it for every webhook endpoint that subscribes to its type. */
  recordEvent(type: Stripe.Event["type"], object: EventSubject, previous?: object): Stripe.Event {
    const endpoints = this.store
      .all("webhook_endpoint")
      .filter(
        ({ status, enabled_events: types }) =>
          status === "enabled" && (types.includes("*") || types.includes(type)),
      );
    const event = {
      id: newId("evt"),
      object: "event",
      api_version: API_VERSION,
      created: this.now,
      data: { object, ...(previous ? { previous_attributes: previous } : {}) },
      livemode: false,
      pending_webhooks: endpoints.length,
      request: this.#request,
      type,
      // The SDK's type pairs each event type with its object, which no generic code can show.
    } as unknown as Stripe.Event;
    for (const endpoint of endpoints.reverse()) this.queueDelivery(event.id, endpoint.id);
    return this.store.put("event", event.id, event);
  }

  /** Queues a delivery; while webhooks are paused, it waits until someone sends it. */
  queueDelivery(event: string, endpoint: string): Delivery {
    const paused = this.settings.webhooksPaused;
    const delivery: Delivery = {
      id: newId("del"),
      event,
      endpoint,
      attempts: [],
      dueMs: paused ? null : this.nowMs,
      state: paused ? "paused" : "pending",
    };
    return this.store.put("delivery", delivery.id, delivery);
  }
}

/** The values before a change, of the fields that changed. */
function changedValues(before: object, after: object): Record<string, unknown> {
  const entries = Object.entries(before).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify((after as Record<string, unknown>)[name]),
  );
  return Object.fromEntries(entries);
}
