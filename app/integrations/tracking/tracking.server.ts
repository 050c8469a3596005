import { createHash, randomUUID } from "node:crypto";

import { env } from "~/env.server";

import type { MarketingEvent, Subject } from "./event";

const DEADLINE_MS = 5_000;
const KLAVIYO_REVISION = "2025-10-15";

/** The events of each service; the names are those that the team's campaigns are built on. */
const FOR_ADS = new Set<MarketingEvent["name"]>(["PageView", "InitiateCheckout", "Purchase"]);

/** Whether anything is configured that could be told. */
export function tracksAnything(): boolean {
  const { tracking } = env();
  return tracking.ads !== null || tracking.email !== null;
}

/**
 * Tells the configured services of an event, in the background: a page never waits for it, and nothing that fails here
 * reaches anybody. Call it only for somebody who has agreed.
 *
 * No address of a page is sent, no name of the directory, and nothing of what a person filled in: an event is its name,
 * its moment, an amount for a purchase, and who: to the ad platform a SHA-256 of the e-mail address or of the browser's
 * random id, to the e-mail service the address it writes to anyway.
 * @param onFailure told in a word what went wrong, for the log
 */
export function track(
  event: MarketingEvent,
  subject: Subject,
  onFailure: (reason: string) => void,
): void {
  const { ads, email } = env().tracking;
  const [id, at] = [event.name === "Purchase" ? event.orderId : randomUUID(), new Date()];
  if (ads && FOR_ADS.has(event.name)) {
    send(
      ads.url,
      { Authorization: `Bearer ${ads.token}` },
      adEvent(event, subject, id, at),
      onFailure,
    );
  }
  if (email && !FOR_ADS.has(event.name) && "email" in subject) {
    const headers = { Authorization: `Klaviyo-API-Key ${email.key}`, revision: KLAVIYO_REVISION };
    send(email.url, headers, emailEvent(event, subject.email, id, at), onFailure);
  }
}

const sha256 = (text: string) =>
  createHash("sha256").update(text.trim().toLowerCase()).digest("hex");

/** Meta's Conversions API, `POST /{pixel}/events`. */
function adEvent(event: MarketingEvent, subject: Subject, id: string, at: Date) {
  return {
    data: [
      {
        event_name: event.name,
        event_id: id,
        event_time: Math.floor(at.getTime() / 1000),
        action_source: "system_generated",
        user_data:
          "email" in subject
            ? { em: [sha256(subject.email)] }
            : { external_id: [sha256(subject.browser)] },
        ...(event.name === "Purchase"
          ? { custom_data: { value: event.cents / 100, currency: event.currency.toUpperCase() } }
          : {}),
      },
    ],
  };
}

/** Klaviyo's `POST /api/events`. */
function emailEvent(event: MarketingEvent, email: string, id: string, at: Date) {
  return {
    data: {
      type: "event",
      attributes: {
        metric: { data: { type: "metric", attributes: { name: event.name } } },
        profile: { data: { type: "profile", attributes: { email } } },
        properties: {},
        unique_id: id,
        time: at.toISOString(),
      },
    },
  };
}

function send(
  url: string,
  headers: Record<string, string>,
  body: object,
  onFailure: (reason: string) => void,
): void {
  void fetch(url, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.timeout(DEADLINE_MS),
  }).then(
    ({ ok, status }) => {
      if (!ok) onFailure(`answered ${status}`);
    },
    (error: unknown) => onFailure(error instanceof Error ? error.name : "failed"),
  );
}
