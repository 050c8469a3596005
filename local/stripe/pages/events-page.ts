import type { Stripe } from "stripe";

import { Markup, markup } from "../../html";
import type { Account } from "../account";
import { advanceClock } from "../clock";
import type { Delivery, DeliveryAttempt } from "../records";
import { pauseWebhooks, resendEvent, resumeWebhooks } from "../webhook-deliveries";
import { buttonForm, formatTime, notFound, seeOther, teamPage } from "./page";

const PAGE_SIZE = 50;
const MINUTE_MS = 60_000;
const UNITS = { minutes: MINUTE_MS, hours: 60 * MINUTE_MS, days: 24 * 60 * MINUTE_MS } as const;
const MAX_UNITS = 1000;
const LATER_MS = MINUTE_MS;

/**
 * `/events`: what happened, with buttons to send the webhooks again, late, twice, or in another
 * order.
 */
export function eventsPage(
  account: Account,
  appUrl: string | null,
  query: URLSearchParams,
): Response {
  const deliveries = deliveriesByEvent(account);
  const everything = query.has("all");
  const all = account.store.all("event").filter((event) => everything || deliveries.has(event.id));
  const from = Math.max(0, all.findIndex((event) => event.id === query.get("after")) + 1);
  const shown = all.slice(from, from + PAGE_SIZE);
  const last = shown.at(-1);
  return teamPage(
    "Events",
    appUrl,
    markup`
    ${controls(account)}
    <h2>Events</h2>
    <p>${
      everything
        ? markup`All events. <a href="/events">Show only events the app subscribes to</a>`
        : markup`Events the app subscribes to. <a href="/events?all">All events</a>`
    }</p>
    ${shown.length === 0 && markup`<p>No events yet. Buy something in the dashboard.</p>`}
    ${
      shown.length > 0 &&
      markup`<form method="post" action="/events/send">
      <div class="row">
        <p>Resend selected events:</p>
        ${ORDERS.map(([value, label]) => markup`<button name="how" value="${value}">${label}</button>`)}
      </div>
      <table class="cards">
        <thead><tr><th scope="col">Send</th><th scope="col">When</th><th scope="col">Event</th><th scope="col">About</th><th scope="col">Delivery</th></tr></thead>
        <tbody>${shown.map((event) => row(event, deliveries.get(event.id) ?? []))}</tbody>
      </table>
    </form>
    ${last && from + PAGE_SIZE < all.length && markup`<p><a href="/events?${everything && "all&"}after=${last.id}">Older events</a></p>`}`
    }`,
  );
}

const ORDERS = [
  ["once", "Oldest first"],
  ["reverse", "Newest first"],
  ["random", "In a random order"],
  ["twice", "Each twice"],
  ["later", "In a minute"],
] as const;

function controls(account: Account): Markup {
  const { clockOffsetMs, webhooksPaused, afterRetries } = account.settings;
  const days = clockOffsetMs / UNITS.days;
  return markup`<div class="panels">
    <section class="card" aria-labelledby="clock">
      <h2 id="clock">The clock</h2>
      <p>It’s ${formatTime(account.now)} here${clockOffsetMs > 0 ? `, ${days >= 1 ? `${Math.floor(days)} days` : `${Math.round(clockOffsetMs / MINUTE_MS)} minutes`} ahead` : ""}.
        Move it ahead to expire checkouts, renew plans and retry payments.</p>
      <form method="post" action="/events/clock" class="row">
        <div class="field"><label for="amount">Move ahead by</label>
          <input type="number" id="amount" name="amount" min="1" max="${MAX_UNITS}" value="31" required></div>
        <div class="field"><label for="unit">Unit</label>
          <select id="unit" name="unit">${Object.keys(UNITS).map((unit) => markup`<option>${unit}</option>`)}</select></div>
        <button>Move the clock</button>
      </form>
    </section>
    <section class="card" aria-labelledby="telling">
      <h2 id="telling">Webhooks</h2>
      <p>${webhooksPaused ? "Events wait until you send them." : "Each event is sent right away and retried until it’s delivered."}</p>
      ${
        webhooksPaused
          ? buttonForm("/events/release", "Send waiting events and resume")
          : buttonForm("/events/hold", "Pause events")
      }
    </section>
    <section class="card" aria-labelledby="retries">
      <h2 id="retries">When every retry fails</h2>
      <form method="post" action="/events/retries">
        <fieldset><legend class="hidden">The plan</legend>
          ${choice("afterRetries", "cancel", "The plan ends", afterRetries)} ${choice("afterRetries", "unpaid", "The plan stays, unpaid", afterRetries)}
        </fieldset>
        <button>Save</button>
      </form>
    </section>
  </div>`;
}

function choice(name: string, value: string, label: string, chosen: string): Markup {
  return markup`<label class="choice"><input type="radio" name="${name}" value="${value}"${value === chosen && new Markup(" checked")}> <span>${label}</span></label>`;
}

function deliveriesByEvent(account: Account): Map<string, Delivery[]> {
  const found = new Map<string, Delivery[]>();
  for (const delivery of account.store.all("delivery").reverse()) {
    found.set(delivery.event, [...(found.get(delivery.event) ?? []), delivery]);
  }
  return found;
}

function subjectId(event: Stripe.Event): string {
  return (event.data.object as { id?: string }).id ?? "";
}

function row(event: Stripe.Event, deliveries: Delivery[]): Markup {
  return markup`<tr>
    <td data-label="Send"><label class="choice"><input type="checkbox" name="event" value="${event.id}">
      <span class="hidden">${event.type}, ${event.id}</span></label></td>
    <td data-label="When">${formatTime(event.created)}</td>
    <td data-label="Event"><a href="/events/${event.id}">${event.type}<span class="hidden"> ${event.id}</span></a></td>
    <td data-label="About" class="id">${subjectId(event)}</td>
    <td data-label="Delivery">${deliveriesLabel(deliveries)}</td>
  </tr>`;
}

function deliveriesLabel(deliveries: Delivery[]): string {
  if (deliveries.length === 0) return "Not subscribed";
  const delivered = deliveries.filter((one) => one.state === "delivered").length;
  const parts = [
    delivered > 0 && (delivered === 1 ? "Delivered" : `Delivered ${delivered} times`),
    ...deliveries.filter((one) => one.state !== "delivered").map(undeliveredLabel),
  ];
  return parts.filter(Boolean).join("; ");
}

function undeliveredLabel({ state, attempts }: Delivery): string {
  const last = attempts.at(-1);
  const failed = last
    ? ` (${attempts.length} ${attempts.length === 1 ? "try" : "tries"}, last: ${responseLabel(last)})`
    : "";
  if (state === "paused") return "Paused";
  return `${state === "failed" ? "Failed" : last ? "Retrying soon" : "On its way"}${failed}`;
}

function responseLabel({ status }: DeliveryAttempt): string {
  return status === 0 ? "no answer" : `${status}`;
}

/** `/events/:id`: one event as JSON, and every attempt to deliver it. */
export function eventPage(account: Account, appUrl: string | null, id: string): Response {
  const event = account.store.find("event", id);
  if (!event) return notFound("event");
  const deliveries = account.store
    .all("delivery")
    .filter((one) => one.event === id)
    .reverse();
  const attempts = deliveries.flatMap((one) => one.attempts);
  return teamPage(
    event.type,
    appUrl,
    markup`<dl><dt>Event</dt><dd class="id">${event.id}</dd><dt>When</dt><dd>${formatTime(event.created)}</dd>
      <dt>About</dt><dd class="id">${subjectId(event)}</dd><dt>Delivery</dt><dd>${deliveriesLabel(deliveries)}</dd></dl>
    <form method="post" action="/events/send" class="row">
      <input type="hidden" name="event" value="${event.id}"><input type="hidden" name="back" value="/events/${event.id}">
      <button name="how" value="once">Send it again</button>
      <button name="how" value="twice">Send it twice</button>
      <button name="how" value="later">Send it in a minute</button>
    </form>
    <h2>Delivery attempts</h2>
    ${
      attempts.length === 0
        ? markup`<p>Not yet.</p>`
        : markup`<ol>${attempts.map(
            (one) => markup`<li>${formatTime(Math.floor(one.atMs / 1000))}: ${responseLabel(one)}
          ${one.body && markup`<span class="soft">${one.body}</span>`}</li>`,
          )}</ol>`
    }
    <h2>Contents</h2>
    <pre tabindex="0" role="region" aria-label="The event as JSON">${JSON.stringify(event, null, 2)}</pre>`,
  );
}

/** Answers a button of these pages. */
export async function submitEvents(
  account: Account,
  { step, form }: { step: string; form: URLSearchParams },
  deliverWebhooks: () => Promise<void>,
): Promise<Response> {
  if (step === "hold") pauseWebhooks(account);
  if (step === "release") resumeWebhooks(account);
  if (step === "retries")
    account.changeSettings({
      afterRetries: form.get("afterRetries") === "unpaid" ? "unpaid" : "cancel",
    });
  if (step === "clock") {
    const unit = UNITS[form.get("unit") as keyof typeof UNITS] ?? MINUTE_MS;
    const amount = Math.min(MAX_UNITS, Math.max(0, Math.floor(Number(form.get("amount")) || 0)));
    advanceClock(account, amount * unit);
  }
  if (step === "send") await send(account, form, deliverWebhooks);
  await deliverWebhooks();
  const back = form.get("back");
  return seeOther(back && /^\/events\/\w+$/.test(back) ? back : "/events");
}

/** Sends the chosen events one after another, in the order that was chosen. */
async function send(
  account: Account,
  form: URLSearchParams,
  deliverWebhooks: () => Promise<void>,
): Promise<void> {
  const how = form.get("how") ?? "once";
  const chosen = new Set(form.getAll("event"));
  const events = account.store.all("event").filter((event) => chosen.has(event.id));
  if (how !== "reverse") events.reverse();
  if (how === "random") shuffle(events);
  for (const event of events) {
    resendEvent(account, event.id, how === "twice" ? 2 : 1, how === "later" ? LATER_MS : 0);
    if (how !== "later") await deliverWebhooks();
  }
}

function shuffle(events: Stripe.Event[]): void {
  for (let at = events.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [events[at], events[other]] = [events[other]!, events[at]!];
  }
}
