/**
 * Money for newsletter dates that comes days after its checkout, as a bank debit's does. A checkout of ours takes no
 * debit for dates; one of before could, and Stripe may add ways to pay.
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { buyingIn } from "../support/buying";
import { forgetSponsors } from "../support/forget-orders";
import { listNewsletterDates } from "../support/newsletter-dates";
import { timesTried } from "../support/nightly";
import { createWorld, type Member } from "../support/world";

const world = await createWorld({ stripe: true });
const { stripe } = world;
const { sponsor, countEmails } = buyingIn(world);
const THREE_DAYS_MS = 73 * 3_600_000;
const days = await listNewsletterDates(world);
const [date, ...others] = days.slice(6, 10) as [string, ...string[]];
const dayBefore = (day: string) =>
  new Date(Date.parse(day) - 24 * 3_600_000).toISOString().slice(0, 10);

const admin = await world.admin();
let owner: Member;
let listing: { id: number };
beforeEach(async () => {
  await forgetSponsors(world);
  owner = await world.owner();
  listing = await world.listing({ owner, name: "Café X" });
});

/** Lets it be a day for everything that the database decides about newsletters; without a day, today again. */
const letItBe = (day?: string) =>
  world.sql(`create or replace function private.today() returns date language sql stable set search_path = ''
    as $$ select ${day ? `date '${day}'` : "(now() at time zone 'UTC')::date"} $$`);
afterEach(async () => {
  await letItBe();
  await stripe.resumeWebhooks();
});

/** Pays for an order by bank debit. */
const payByDebit = async (checkout: string, card: "debit" | "debit_fails" = "debit") =>
  stripe.pay(await stripe.acceptDebits(checkout), { card });

/** Deletes an order whose money is on its way, as the product itself refuses to. */
async function deleteOrder({ order, sponsorship }: { order: string; sponsorship: number }) {
  await world.sql("update public.orders set status = 'expired' where id = $1", [order]);
  await world.sql("delete from public.sponsorships where id = $1", [sponsorship]);
}
const block = (day: string) =>
  world.sql("update public.sponsorship_dates set blocked = true where weekday_date = $1", [day]);
const stateOf = async (order: string) =>
  (await world.sql("select status, refund_reason from public.orders where id = $1", [order]))[0]!;
const refunded = (payment: string) =>
  stripe.refunds(payment).reduce((sum, { amount }) => sum + amount, 0);

describe("money that comes too late", () => {
  /** Pays for a date by debit, lets something happen before the money arrives, and says what came of it. */
  async function payLate(
    happens: (ordered: { sponsorship: number; order: string }) => Promise<unknown>,
  ) {
    const ordered = await sponsor(owner, listing, [date]);
    await payByDebit(ordered.checkout);
    await happens(ordered);
    await stripe.advanceClock(THREE_DAYS_MS);
    return { ...(await stateOf(ordered.order)), refunded: refunded(ordered.payment()) };
  }

  it("for a newsletter whose day has come is refunded, with an email that says why", async () => {
    expect(await payLate(() => letItBe(date))).toEqual({
      status: "refunded",
      refund_reason: "too-late",
      refunded: 4500,
    });
    expect((await world.mailAbout(owner.email, "Your refund")).text).toContain(
      "Your payment arrived after one of these newsletters had closed.",
    );
    expect(await countEmails(owner, "sponsorship-confirmed")).toBe(0);
  });

  it("for tomorrow’s newsletter still counts", async () => {
    expect(await payLate(() => letItBe(dayBefore(date)))).toEqual({
      status: "paid",
      refund_reason: null,
      refunded: 0,
    });
  });

  it("for a newsletter that the team blocked is refunded", async () => {
    const state = await payLate(() =>
      admin.submit("/admin/newsletter-dates", { intent: "block", date: [date] }),
    );
    expect(state).toEqual({ status: "refunded", refund_reason: "blocked", refunded: 4500 });
    const returned = "Your payment was refunded";
    expect(await owner.page("/sponsor")).toSay(`Dates unavailable Choose new dates ${returned}`);
    await admin.submit("/admin/newsletter-dates", { intent: "offer", date: [date] });
    await world.sql("update public.places set hidden = true where id = $1", [listing.id]);
    expect(await owner.page("/sponsor")).toSay(
      `Waiting for its listing You can pay once the listing is public. ${returned}`,
    );
  });

  it("for an order that was deleted is refunded; while it is on its way, the order can’t be deleted", async () => {
    const state = await payLate(async (ordered) => {
      const page = `/sponsor/${ordered.sponsorship}`;
      const shown = await owner.page(page);
      expect(shown).toSay("Payment on its way We’ll email you when it arrives.");
      for (const text of ["Delete order", "Save and pay", "You’ll pay once"])
        expect(shown).not.toSay(text);
      expect(await owner.submit(page, { intent: "delete" })).not.toRedirectTo("/sponsor");
      expect(await world.row("sponsorships", ordered.sponsorship)).toBeDefined();
      await deleteOrder(ordered);
    });
    expect(state).toEqual({ status: "refunded", refund_reason: "canceled", refunded: 4500 });
  });

  it("is shown to the team before it arrives", async () => {
    await payLate(async () => {
      const page = await admin.page(`/admin/newsletter-dates?date=${date}`);
      expect(page).toSay("Café X Payment on its way");
    });
  });

  it("buys every date of an order or none, at whatever moment and in whatever order its events arrive", async () => {
    const { reconcilePayments } = await import("~/modules/billing/reconcile.server");
    const { log } = await import("~/http/log.server");
    const dates = [date, ...others];
    const orders = fc.array(
      fc.record({
        dates: fc.subarray(dates, { minLength: 1, maxLength: 3 }),
        card: fc.constantFrom("debit" as const, "debit" as const, "debit_fails" as const),
        deleted: fc.nat(4).map((number) => number === 0),
      }),
      { minLength: 1, maxLength: 3 },
    );
    const situation = fc.record({
      orders,
      today: fc.constantFrom(...dates.flatMap((day) => [dayBefore(day), day])),
      blocked: fc.option(fc.constantFrom(...dates)),
      lost: fc.boolean(),
      seed: fc.nat(1_000_000),
    });
    await fc.assert(
      fc.asyncProperty(situation, async ({ orders, today, blocked, lost, seed }) => {
        await forgetSponsors(world);
        await letItBe();
        const sent = stripe.events().map(({ id }) => id);
        const pending = [];
        for (const { dates: wanted, card, deleted } of orders) {
          const buyer = await world.owner();
          const place = await world.listing({ owner: buyer, name: "Café X" });
          const ordered = await sponsor(buyer, place, wanted);
          // From the payment on, nothing is known but by an event.
          stripe.pauseWebhooks();
          await payByDebit(ordered.checkout, card);
          pending.push({ ...ordered, buyer, wanted, card, deleted });
        }
        await stripe.advanceClock(THREE_DAYS_MS);
        await letItBe(today);
        if (blocked) await block(blocked);
        for (const ordered of pending) if (ordered.deleted) await deleteOrder(ordered);

        const events = stripe
          .events()
          .map(({ id }) => id)
          .filter((id) => !sent.includes(id));
        const [shuffled] = fc.sample(
          fc.shuffledSubarray(events, { minLength: lost ? 0 : events.length }),
          { numRuns: 1, seed },
        );
        for (const id of shuffled!) await stripe.deliver(id, { times: 1 + (seed % 2) });
        if (lost) await reconcilePayments({ dryRun: false, days: 400, log: log() });

        for (const { order, sponsorship, buyer, wanted, card, deleted, payment } of pending) {
          const { status } = await stateOf(order);
          const spots = await world.sql(
            "select weekday_date::text as day from public.sponsorship_spots where sponsorship_id = $1 and held_until is null order by 1",
            [sponsorship],
          );
          const bought =
            card === "debit" && !deleted && wanted.every((day) => day > today && day !== blocked);
          const comesBack = card === "debit" && !bought;
          expect({
            paid: status === "paid",
            spots: spots.map(({ day }) => day),
            refunded: refunded(payment()),
            confirmed: await countEmails(buyer, "sponsorship-confirmed"),
            returned: await countEmails(buyer, "payment-returned"),
          }).toEqual({
            paid: bought,
            spots: bought ? [...wanted].sort() : [],
            refunded: comesBack ? 4500 * wanted.length : 0,
            confirmed: bought ? 1 : 0,
            returned: comesBack ? 1 : 0,
          });
        }
        await stripe.resumeWebhooks();
      }),
      // A fixed seed, so that a failure can be repeated.
      { numRuns: timesTried(2, 24), seed: 20261122, endOnFailure: true },
    );
  });
});
