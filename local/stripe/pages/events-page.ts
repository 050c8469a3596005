import type { Stripe } from "stripe";

import { type Markup, markup, Markup as Html } from "../../markup";
import type { Account } from "../account";
import { type Attempt, type Delivery, holdDeliveries, sendNow } from "../deliveries";
import { moveClock } from "../passing-time";
import { backOffice } from "./back-office";
import { button, nothingHere, seeOther, time } from "./page";

const SHOWN = 50;
const MINUTE_MS = 60_000;
const UNITS = { minutes: MINUTE_MS, hours: 60 * MINUTE_MS, days: 24 * 60 * MINUTE_MS } as const;
const FARTHEST = 1000;
const LATER_MS = MINUTE_MS;

/** `/events`: what Stripe has told the app, with the means to tell it again, late, twice, or in another order. */
export function eventsPage(
  account: Account,
  appUrl: string | null,
  query: URLSearchParams,
): Response {
  const deliveries = deliveriesByEvent(account);
  const everything = query.has("all");
  const all = account.store.all("event").filter((event) => everything || deliveries.has(event.id));
  const from = Math.max(0, all.findIndex((event) => event.id === query.get("after")) + 1);
  const shown = all.slice(from, from + SHOWN);
  const last = shown.at(-1);
  return backOffice(
    "Events",
    appUrl,
    markup`
    ${controls(account)}
    <h2>What happened</h2>
    <p>${
      everything
        ? markup`All events. <a href="/events">Only those that the app asks for</a>`
        : markup`The events that the app asks for. <a href="/events?all">All events</a>`
    }</p>
    ${shown.length === 0 && markup`<p>Nothing so far. Buy something in the dashboard.</p>`}
    ${
      shown.length > 0 &&
      markup`<form method="post" action="/events/send">
      <div class="row">
        <p>Send the chosen ones again:</p>
        ${ORDERS.map(([value, words]) => markup`<button name="how" value="${value}">${words}</button>`)}
      </div>
      <table class="cards">
        <thead><tr><th scope="col">Send</th><th scope="col">When</th><th scope="col">Event</th><th scope="col">About</th><th scope="col">Told the app</th></tr></thead>
        <tbody>${shown.map((event) => row(event, deliveries.get(event.id) ?? []))}</tbody>
      </table>
    </form>
    ${last && from + SHOWN < all.length && markup`<p><a href="/events?${everything && "all&"}after=${last.id}">Older events</a></p>`}`
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
  const { aheadMs, deliveriesHeld, afterRetries } = account.settings;
  const days = aheadMs / UNITS.days;
  return markup`<div class="panels">
    <section class="card" aria-labelledby="clock">
      <h2 id="clock">The clock</h2>
      <p>It is ${time(account.now)} here${aheadMs > 0 ? `, ${days >= 1 ? `${Math.floor(days)} days` : `${Math.round(aheadMs / MINUTE_MS)} minutes`} ahead` : ""}.
        Moving it lets checkouts end, plans renew and payments be tried again.</p>
      <form method="post" action="/events/clock" class="row">
        <div class="field"><label for="amount">Move ahead by</label>
          <input type="number" id="amount" name="amount" min="1" max="${FARTHEST}" value="31" required></div>
        <div class="field"><label for="unit">Unit</label>
          <select id="unit" name="unit">${Object.keys(UNITS).map((unit) => markup`<option>${unit}</option>`)}</select></div>
        <button>Move the clock</button>
      </form>
    </section>
    <section class="card" aria-labelledby="telling">
      <h2 id="telling">Telling the app</h2>
      <p>${deliveriesHeld ? "Events wait until you send them." : "Each event is sent at once, and again until it is taken."}</p>
      ${
        deliveriesHeld
          ? button("/events/release", "Send what waits, and go on by itself")
          : button("/events/hold", "Hold events back from now on")
      }
    </section>
    <section class="card" aria-labelledby="retries">
      <h2 id="retries">When every retry of a payment has failed</h2>
      <form method="post" action="/events/retries">
        <fieldset><legend class="hidden">The plan</legend>
          ${choice("afterRetries", "cancel", "The plan ends", afterRetries)} ${choice("afterRetries", "unpaid", "It stays, unpaid", afterRetries)}
        </fieldset>
        <button>Keep this choice</button>
      </form>
    </section>
  </div>`;
}

function choice(name: string, value: string, words: string, chosen: string): Markup {
  return markup`<label class="choice"><input type="radio" name="${name}" value="${value}"${value === chosen && new Html(" checked")}> <span>${words}</span></label>`;
}

function deliveriesByEvent(account: Account): Map<string, Delivery[]> {
  const found = new Map<string, Delivery[]>();
  for (const delivery of account.store.all("delivery").reverse()) {
    found.set(delivery.event, [...(found.get(delivery.event) ?? []), delivery]);
  }
  return found;
}

function subjectOf(event: Stripe.Event): string {
  return (event.data.object as { id?: string }).id ?? "";
}

function row(event: Stripe.Event, deliveries: Delivery[]): Markup {
  return markup`<tr>
    <td data-label="Send"><label class="choice"><input type="checkbox" name="event" value="${event.id}">
      <span class="hidden">${event.type}, ${event.id}</span></label></td>
    <td data-label="When">${time(event.created)}</td>
    <td data-label="Event"><a href="/events/${event.id}">${event.type}<span class="hidden"> ${event.id}</span></a></td>
    <td data-label="About" class="id">${subjectOf(event)}</td>
    <td data-label="Told the app">${inWords(deliveries)}</td>
  </tr>`;
}

function inWords(deliveries: Delivery[]): string {
  if (deliveries.length === 0) return "Nobody asks for it";
  const taken = deliveries.filter((one) => one.state === "taken").length;
  const parts = [
    taken > 0 && (taken === 1 ? "Taken" : `Taken ${taken} times`),
    ...deliveries.filter((one) => one.state !== "taken").map(waitingInWords),
  ];
  return parts.filter(Boolean).join("; ");
}

function waitingInWords({ state, attempts }: Delivery): string {
  const last = attempts.at(-1);
  const failed = last
    ? ` (${attempts.length} ${attempts.length === 1 ? "try" : "tries"}, last: ${answerInWords(last)})`
    : "";
  if (state === "held") return "Held back";
  return `${state === "given up" ? "Given up" : last ? "Tried again soon" : "On its way"}${failed}`;
}

function answerInWords({ status }: Attempt): string {
  return status === 0 ? "no answer" : `${status}`;
}

/** `/events/:id`: one event whole, and every time that it was sent. */
export function eventPage(account: Account, appUrl: string | null, id: string): Response {
  const event = account.store.find("event", id);
  if (!event) return nothingHere("event");
  const deliveries = account.store
    .all("delivery")
    .filter((one) => one.event === id)
    .reverse();
  const attempts = deliveries.flatMap((one) => one.attempts);
  return backOffice(
    event.type,
    appUrl,
    markup`<dl><dt>Event</dt><dd class="id">${event.id}</dd><dt>When</dt><dd>${time(event.created)}</dd>
      <dt>About</dt><dd class="id">${subjectOf(event)}</dd><dt>Told the app</dt><dd>${inWords(deliveries)}</dd></dl>
    <form method="post" action="/events/send" class="row">
      <input type="hidden" name="event" value="${event.id}"><input type="hidden" name="back" value="/events/${event.id}">
      <button name="how" value="once">Send it again</button>
      <button name="how" value="twice">Send it twice</button>
      <button name="how" value="later">Send it in a minute</button>
    </form>
    <h2>Each time it was sent</h2>
    ${
      attempts.length === 0
        ? markup`<p>Not yet.</p>`
        : markup`<ol>${attempts.map(
            (one) => markup`<li>${time(Math.floor(one.atMs / 1000))}: ${answerInWords(one)}
          ${one.words && markup`<span class="soft">${one.words}</span>`}</li>`,
          )}</ol>`
    }
    <h2>What it says</h2>
    <pre tabindex="0" role="region" aria-label="The event as JSON">${JSON.stringify(event, null, 2)}</pre>`,
  );
}

/** Answers a button of these pages. */
export async function answerEvents(
  account: Account,
  { step, form }: { step: string; form: URLSearchParams },
  settled: () => Promise<void>,
): Promise<Response> {
  if (step === "hold" || step === "release") holdDeliveries(account, step === "hold");
  if (step === "retries")
    account.changeSettings({
      afterRetries: form.get("afterRetries") === "unpaid" ? "unpaid" : "cancel",
    });
  if (step === "clock") {
    const unit = UNITS[form.get("unit") as keyof typeof UNITS] ?? MINUTE_MS;
    const amount = Math.min(FARTHEST, Math.max(0, Math.floor(Number(form.get("amount")) || 0)));
    moveClock(account, amount * unit);
  }
  if (step === "send") await send(account, form, settled);
  await settled();
  const back = form.get("back");
  return seeOther(back && /^\/events\/\w+$/.test(back) ? back : "/events");
}

/** One after the other, so that the order is the one that was asked for. */
async function send(
  account: Account,
  form: URLSearchParams,
  settled: () => Promise<void>,
): Promise<void> {
  const how = form.get("how") ?? "once";
  const chosen = new Set(form.getAll("event"));
  const events = account.store.all("event").filter((event) => chosen.has(event.id));
  if (how !== "reverse") events.reverse();
  if (how === "random") shuffle(events);
  for (const event of events) {
    sendNow(account, event.id, how === "twice" ? 2 : 1, how === "later" ? LATER_MS : 0);
    if (how !== "later") await settled();
  }
}

function shuffle(events: Stripe.Event[]): void {
  for (let at = events.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [events[at], events[other]] = [events[other]!, events[at]!];
  }
}
