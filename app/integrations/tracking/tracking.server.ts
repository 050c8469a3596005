import { createHash, randomUUID } from "node:crypto";

import { env } from "~/env.server";
import { callUpstream } from "~/integrations/upstream/call-upstream.server";
import { runInBackground } from "~/integrations/upstream/request-scope.server";

/** An event for advertising and email services, sent only with the user's consent. */
export type MarketingEvent =
  | { name: "PageView" | "InitiateCheckout" | "viewed_upgrade_page" | "started_checkout" }
  /** Of a payment that the payment provider confirmed. */
  | { name: "Purchase"; orderId: string; cents: number; currency: string };

/** Whose event it is: an account's, or a browser's, by a random id that the browser stores. */
export type TrackingSubject = { email: string } | { browser: string };

const TIMEOUT_MS = 5_000;
const KLAVIYO_REVISION = "2025-10-15";

/** The ad platform gets these events, the email service the others. Campaigns rely on the names. */
const AD_EVENTS = new Set<MarketingEvent["name"]>(["PageView", "InitiateCheckout", "Purchase"]);

/** Whether a service is configured that events could be sent to. */
export function isTrackingConfigured(): boolean {
  const { tracking } = env();
  return tracking.ads !== null || tracking.email !== null;
}

/**
 * Sends an event to the configured services, in the background: a page never waits for it, and no
 * failure reaches a user. Call it only for someone who gave consent.
 *
 * No page address, no name of the directory, and nothing that someone typed is sent. An event has its
 * name, its time, an amount for a purchase, and its subject: for the ad platform a SHA-256 hash of the
 * email address or of the browser's random id; for the email service the address as it is. The question says so:
 * what is sent to whom follows its text (TRACKING_TEXT).
 * @param onFailure called with a short reason, for the log
 */
export function track(
  event: MarketingEvent,
  subject: TrackingSubject,
  onFailure: (reason: string) => void,
): void {
  const { ads, email } = env().tracking;
  const id = event.name === "Purchase" ? event.orderId : randomUUID();
  const at = new Date();
  if (ads && AD_EVENTS.has(event.name)) {
    send(
      "ads",
      ads.url,
      { Authorization: `Bearer ${ads.token}` },
      toAdEvent(event, subject, id, at),
      onFailure,
    );
  }
  if (email && !AD_EVENTS.has(event.name) && "email" in subject) {
    const headers = { Authorization: `Klaviyo-API-Key ${email.key}`, revision: KLAVIYO_REVISION };
    send("email", email.url, headers, toEmailEvent(event, subject.email, id, at), onFailure);
  }
}

const sha256 = (text: string) =>
  createHash("sha256").update(text.trim().toLowerCase()).digest("hex");

/** Meta's Conversions API, `POST /{pixel}/events`. */
function toAdEvent(event: MarketingEvent, subject: TrackingSubject, id: string, at: Date) {
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
function toEmailEvent(event: MarketingEvent, email: string, id: string, at: Date) {
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
  name: "ads" | "email",
  url: string,
  headers: Record<string, string>,
  body: object,
  onFailure: (reason: string) => void,
): void {
  void runInBackground(() =>
    callUpstream(
      { service: "tracking", name: `tracking ${name}`, limitMs: TIMEOUT_MS },
      async (attempt) => {
        const { ok, status } = await fetch(url, {
          method: "POST",
          headers: { ...headers, "Content-Type": "application/json" },
          body: JSON.stringify(body),
          redirect: "error",
          signal: attempt.signal,
        });
        attempt.status = status;
        if (!ok) onFailure(`answered ${status}`);
      },
    ),
  ).catch((error: unknown) => onFailure(error instanceof Error ? error.name : "failed"));
}
