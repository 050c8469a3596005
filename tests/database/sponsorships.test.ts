import { beforeAll, describe, expect, it } from "vitest";

import { WEEKS_AHEAD } from "~/modules/sponsorships/sponsorship.server";

import { type Caller, type Row, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;
let place = 0;
let dates: string[] = [];

beforeAll(async () => {
  owner = await database.person();
  admin = await database.person({ admin: true });
  place = await database.place({ owner: owner.id });
  dates = (await available()).map((row) => row.weekday_date as string);
});

async function available(): Promise<Row[]> {
  return (await owner.call("get_available_sponsorship_dates")).rows;
}
interface Buyer {
  by: Caller;
  place: number;
}
/** Inserts an order for these newsletters. Returns its id. */
async function orderBy(buyer: Buyer, ...chosen: string[]): Promise<number> {
  const [made] = await sql(
    "insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates) values ($1, 'Hello', $2, $3) returning id",
    [buyer.place, buyer.by.id, `{${chosen.join(",")}}`],
  );
  return Number(made?.id);
}
const order = (...chosen: string[]) => orderBy({ by: owner, place }, ...chosen);
/** Another account with a published listing. */
async function newBuyer(columns: Row = {}): Promise<Buyer> {
  const by = await database.person();
  return { by, place: await database.place({ owner: by.id, ...columns }) };
}
/** As if a newsletter had gone out with an order that was refunded since. */
async function addSentSpot(id: number): Promise<void> {
  await sql(
    `insert into public.sponsorship_dates as d (weekday_date, paid_count) values ('2026-01-06', 1)
     on conflict (weekday_date) do update set paid_count = d.paid_count + 1`,
  );
  await sql("insert into public.sponsorship_spots values ($1, '2026-01-06', null)", [id]);
}
const orderByNewBuyer = async (...chosen: string[]) => orderBy(await newBuyer(), ...chosen);

/** Opens a checkout for an order, as the server does for its owner. "held", or why its spots are not. */
async function hold(id: number): Promise<unknown> {
  const { owner: buyer } = await database.row("sponsorships", id);
  const opened = await database.service.call("open_order", {
    buyer,
    kind: "sponsorship",
    item_id: id,
  });
  const result = opened.value as { refused?: string; dates?: { outcome: string }[] };
  if (result.refused === undefined) return "held";
  return result.refused === "dates" ? result.dates?.map(({ outcome }) => outcome) : result;
}
const pay = async (id: number) =>
  (await sql("select outcome from private.pay_sponsorship_dates($1)", [id])).map(
    (row) => row.outcome,
  );
const taken = async (day: string) =>
  (await available()).find((row) => row.weekday_date === day)?.sponsorship_count;
const secondsHeld = async (id: number) =>
  Number(
    (
      await sql(
        "select extract(epoch from held_until - now())::int as seconds from public.sponsorship_spots where sponsorship_id = $1",
        [id],
      )
    )[0]?.seconds,
  );
/** Lets the hold of an order end a minute ago. */
const expireHold = (id: number) =>
  sql(
    "update public.sponsorship_spots set held_until = now() - interval '1 minute' where sponsorship_id = $1 and held_until is not null",
    [id],
  );

it("offers each Tuesday and Thursday of the next twelve weeks", async () => {
  const rows = await available();
  expect(rows).toHaveLength(24);
  for (const { weekday_date, day_of_week, sponsorship_count } of rows) {
    const day = new Date(`${String(weekday_date)}T00:00:00Z`);
    expect([2, 4]).toContain(day.getUTCDay());
    expect(day_of_week).toBe(day.getUTCDay() === 2 ? "Tuesday" : "Thursday");
    expect(day.getTime()).toBeGreaterThan(Date.now());
    expect(sponsorship_count).toBe(0);
  }
});

describe("an order", () => {
  it("is unpaid, and its total is computed here", async () => {
    const chosen = [dates[3]!, dates[2]!, dates[3]!];
    await owner.insert("sponsorships", {
      place_id: place,
      promo_text: "Computed",
      rate: 45.5,
      sponsorship_dates: chosen,
      paid: true,
      owner: admin.id,
      version: 7,
    });
    const [made] = await sql(
      "select *, sponsorship_dates::text as dates from public.sponsorships where promo_text = 'Computed'",
    );
    expect(made).toMatchObject({
      paid: false,
      owner: owner.id,
      version: 1,
      order_total: 91,
      dates: `{${dates[2]},${dates[3]}}`,
    });
    expect(
      (await owner.insert("sponsorships", { place_id: place, promo_text: "x", order_total: 1 }))
        .status,
    ).toBe(400);
  });

  const refused: [string, Row, string][] = [
    ["a rate of -45", { rate: -45 }, "23514"],
    ["a rate of 0", { rate: 0 }, "23514"],
    ["a rate of 1e9", { rate: 1e9 }, "23514"],
    ["a rate of NaN", { rate: "NaN" }, "23514"],
    ["a rate of 45.001", { rate: 45.001 }, "23514"],
    ["a Monday", { sponsorship_dates: ["2030-01-07"] }, "P0001"],
    ["a newsletter in the past", { sponsorship_dates: ["2025-01-07"] }, "P0001"],
    ["no text", { promo_text: " " }, "23514"],
    ["301 characters", { promo_text: "x".repeat(301) }, "23514"],
    ["an invalid link", { link: "data:text/html,x" }, "23514"],
  ];
  it.each(refused)("is rejected with %s", async (_, fields, code) => {
    expect(
      await owner.insert("sponsorships", { place_id: place, promo_text: "Hello", ...fields }),
    ).toMatchObject({ code });
  });

  it("is rejected for someone else's listing", async () => {
    const otherListing = await database.place();
    expect(
      await owner.insert("sponsorships", { place_id: otherListing, promo_text: "Hello" }),
    ).toMatchObject({
      code: "P0001",
    });
  });

  it("keeps its dates and price once it is paid", async () => {
    const id = await order(dates[0]!);
    await pay(id);
    expect(await database.row("sponsorships", id)).toMatchObject({ paid: true });
    for (const change of [{ rate: 1 }, { sponsorship_dates: [dates[1]] }]) {
      expect(await owner.update("sponsorships", `id=eq.${id}`, change)).toMatchObject({
        code: "P0001",
      });
    }
    expect(
      (await owner.update("sponsorships", `id=eq.${id}`, { promo_text: "Updated", paid: false }))
        .status,
    ).toBe(204);
    expect(await database.row("sponsorships", id)).toMatchObject({
      promo_text: "Updated",
      paid: true,
    });
    // Neither its buyer nor an admin sees it among those that they may delete.
    for (const by of [owner, admin])
      expect(await by.remove("sponsorships", `id=eq.${id}`)).toMatchObject({
        status: 204,
        total: 0,
      });
    await sql("delete from public.sponsorships where id = $1", [id]);
    expect(await taken(dates[0]!)).toBe(0);
  });

  it("is taken from its buyer by no one: they would neither read nor cancel what they have paid for", async () => {
    const id = await order(dates[20]!);
    expect(await pay(id)).toEqual(["paid"]);
    for (const next of [admin.id, null]) {
      const promo_text = `Corrected for ${next}`;
      await admin.update("sponsorships", `id=eq.${id}`, { owner: next, promo_text });
      expect(await database.row("sponsorships", id)).toMatchObject({ owner: owner.id, promo_text });
    }
    expect(
      await admin.call("cancel_sponsorship_dates", {
        sponsorship_id: id,
        dates: [dates[20]],
      }),
    ).toMatchObject({ code: expect.any(String) as string });
  });

  it("keeps what a newsletter has said", async () => {
    const id = await order(dates[18]!);
    await pay(id);
    // A Tuesday.
    await sql("update public.sponsorships set sponsorship_dates = '{2026-01-06}' where id = $1", [
      id,
    ]);
    expect(
      await owner.update("sponsorships", `id=eq.${id}`, { promo_text: "Never said" }),
    ).toMatchObject({ code: "P0001", message: "sponsorship_was_sent" });
    // Refunded, it is unpaid again, and its buyer could delete it otherwise.
    await sql("update public.sponsorships set paid = false where id = $1", [id]);
    await sql(
      "insert into public.sponsorship_dates (weekday_date, paid_count) values ('2026-01-06', 1)",
    );
    await sql(
      "update public.sponsorship_spots set weekday_date = '2026-01-06' where sponsorship_id = $1",
      [id],
    );
    expect(await owner.remove("sponsorships", `id=eq.${id}`)).toMatchObject({
      code: "P0001",
      message: "sponsorship_was_sent",
    });
    for (const words of [{ promo_text: "Never said" }, { link: "https://never.example" }])
      expect(await owner.update("sponsorships", `id=eq.${id}`, words)).toMatchObject({
        code: "P0001",
        message: "sponsorship_was_sent",
      });
    expect((await admin.remove("sponsorships", `id=eq.${id}`)).status).toBe(204);
  });
});

describe("spots", () => {
  it("can be had in the newsletters that are offered alone: the team sees no later ones", async () => {
    const weeks = await sql("select private.last_offered_day() - private.today() as days");
    expect(weeks).toEqual([{ days: 7 * WEEKS_AHEAD }]);
    // However many weeks someone asks for.
    const year = await owner.call("get_available_sponsorship_dates", { weeks: 52 });
    expect(year.rows.map((row) => row["weekday_date"])).toEqual(dates);
    const [later] = await sql(
      `select day::date::text as day from generate_series(private.last_offered_day() + 1, private.last_offered_day() + 7,
         interval '1 day') day where private.is_newsletter_day(day::date) order by 1 limit 1`,
    );
    expect(await hold(await orderByNewBuyer(later!["day"] as string))).toEqual(["blocked"]);
  });

  it("are freed before their order is deleted: a slow deletion would keep everyone from booking them", async () => {
    const day = dates[4]!;
    const id = await order(day);
    await hold(id);
    await expireHold(id);
    const remove = () => owner.remove("sponsorships", `id=eq.${id}`);
    expect(await remove()).toMatchObject({ code: "P0001", message: "order_holds_spots" });
    await owner.call("release_sponsorship_dates", { sponsorship_id: id });
    expect((await remove()).status).toBe(204);
  });

  it("can be held, released, held again, and paid; then they stay", async () => {
    const day = dates[4]!;
    const id = await order(day);
    expect(await taken(day)).toBe(0);
    expect(await hold(id)).toBe("held");
    expect(await hold(id)).toBe("held");
    expect(await taken(day)).toBe(1);
    await owner.call("release_sponsorship_dates", { sponsorship_id: id });
    expect(await taken(day)).toBe(0);
    await hold(id);
    expect(await pay(id)).toEqual(["paid"]);
    expect(await pay(id)).toEqual(["paid"]);
    await owner.call("release_sponsorship_dates", { sponsorship_id: id });
    await expireHold(id);
    expect(await taken(day)).toBe(1);
    expect(
      await sql(
        "select held_count, paid_count from public.sponsorship_dates where weekday_date = $1",
        [day],
      ),
    ).toEqual([{ held_count: 0, paid_count: 1 }]);
  });

  it("are held for 33 minutes and then released", async () => {
    const day = dates[5]!;
    const id = await order(day);
    await hold(id);
    expect(await secondsHeld(id)).toBeGreaterThan(33 * 60 - 10);
    expect(await secondsHeld(id)).toBeLessThanOrEqual(33 * 60);
    await expireHold(id);
    expect(await taken(day)).toBe(0);
  });

  it("are ten for each newsletter: the eleventh order gets “full” and holds no other date", async () => {
    const [full, open] = [dates[6]!, dates[7]!];
    for (let n = 0; n < 10; n += 1) expect(await hold(await orderByNewBuyer(full))).toBe("held");
    const buyer = await newBuyer();
    const late = await orderBy(buyer, full, open);
    expect(await hold(late)).toEqual(["full", "held"]);
    expect(await taken(full)).toBe(10);
    expect(await taken(open)).toBe(0);
    // Dates that are full can be changed to others.
    await buyer.by.update("sponsorships", `id=eq.${late}`, { sponsorship_dates: [open] });
    expect(await hold(late)).toBe("held");
    // A constraint enforces the limit even for a direct update.
    await expect(
      sql(
        "update public.sponsorship_dates set paid_count = paid_count + 1 where weekday_date = $1",
        [full],
      ),
    ).rejects.toThrow(/enough_spots/);
  });

  it("of an expired hold go to the next buyer; a late payment gets “full”", async () => {
    const day = dates[8]!;
    const slow = await orderByNewBuyer(day);
    await hold(slow);
    await expireHold(slow);
    for (let n = 0; n < 10; n += 1) expect(await pay(await orderByNewBuyer(day))).toEqual(["paid"]);
    expect(await pay(slow)).toEqual(["full"]);
    expect(await database.row("sponsorships", slow)).toMatchObject({ paid: false });
    // A late payment counts while there are spots left.
    const late = await orderByNewBuyer(dates[9]!);
    await hold(late);
    await expireHold(late);
    expect(await pay(late)).toEqual(["paid"]);
  });

  it("follow the current dates of their order", async () => {
    const [before, after] = [dates[10]!, dates[11]!];
    const buyer = await newBuyer();
    const id = await orderBy(buyer, before);
    await hold(id);
    await buyer.by.update("sponsorships", `id=eq.${id}`, { sponsorship_dates: [after] });
    expect([await taken(before), await taken(after)]).toEqual([0, 0]);
    await hold(id);
    expect([await taken(before), await taken(after)]).toEqual([0, 1]);
  });

  it("of a blocked newsletter are neither offered nor sold", async () => {
    const day = dates[12]!;
    const id = await orderByNewBuyer(day);
    expect(
      (await admin.insert("sponsorship_dates", { weekday_date: day, blocked: true })).status,
    ).toBe(201);
    expect(await taken(day)).toBeUndefined();
    expect(await hold(id)).toEqual(["blocked"]);
    await admin.update("sponsorship_dates", `weekday_date=eq.${day}`, { blocked: false });
    expect(await hold(id)).toBe("held");
    expect(
      await admin.update("sponsorship_dates", `weekday_date=eq.${day}`, { paid_count: 0 }),
    ).toMatchObject({ code: "42501" });
  });

  it("of a newsletter are blocked and offered again in an admin’s name, each once, and sold in no one’s", async () => {
    const [day, other] = [dates[15]!, dates[16]!];
    await orderByNewBuyer(day).then(hold);
    const block = (blocked: boolean, ...days: string[]) =>
      admin.call("block_newsletters", { days, blocked });
    await block(true, day, other);
    await block(true, day);
    await block(false, day);
    await admin.update("sponsorship_dates", `weekday_date=eq.${other}`, { blocked: false });
    expect(
      await sql(
        `select actor, action, subject_id, after from public.audit_log
         where subject = 'sponsorship_dates' and subject_id = any ($1) order by id`,
        [[day, other]],
      ),
    ).toEqual(
      [
        ["block", day],
        ["block", other],
        ["unblock", day],
        ["unblock", other],
      ].map(([action, subject_id]) => ({
        actor: admin.id,
        action,
        subject_id,
        after: { blocked: action === "block" },
      })),
    );
  });

  it("of an order can be held and released by its owner only", async () => {
    const day = dates[13]!;
    const { by: other } = await newBuyer();
    const id = await orderByNewBuyer(day);
    const byOther = { buyer: other.id, kind: "sponsorship", item_id: id };
    expect((await database.service.call("open_order", byOther)).value).toEqual({
      refused: "missing",
    });
    expect(await taken(day)).toBe(0);
    await hold(id);
    // Nor by an admin, whom no log would name.
    for (const person of [other, await database.person({ admin: true })])
      expect(await person.call("release_sponsorship_dates", { sponsorship_id: id })).toMatchObject({
        code: "42501",
      });
    expect(await taken(day)).toBe(1);
  });
});

describe("holding spots without paying", () => {
  /** Ends the holds of a listing this many minutes ago. */
  async function endHolds(listing: number, minutesAgo: number) {
    for (const table of [
      "public.sponsorship_spots s set held_until = now() - $2 * interval '1 minute' from public.sponsorships o where o.id = s.sponsorship_id and s.held_until is not null and o.place_id = $1",
      "private.newsletter_holds set held_until = now() - $2 * interval '1 minute' where place_id = $1",
    ])
      await sql(`update ${table}`, [listing, minutesAgo]);
  }

  it("is not possible through the data API: a hold begins with a checkout", async () => {
    const { by, place: listing } = await newBuyer();
    const sent = await by.insert("sponsorships", {
      place_id: listing,
      promo_text: "Hello",
      sponsorship_dates: [dates[17]],
    });
    expect(sent.status).toBe(201);
    const [made] = await sql("select id from public.sponsorships where place_id = $1", [listing]);
    for (const [name, args] of [
      ["hold_sponsorship_dates", { sponsorship_id: made?.id }],
      ["hold_spots", { sponsorship: made?.id, buyer: by.id }],
      ["reserve_spots", { sponsorship: made?.id, permanent: false }],
      ["open_order", { buyer: by.id, kind: "sponsorship", item_id: made?.id }],
    ] as const)
      expect((await by.call(name, args)).status, name).toBeGreaterThanOrEqual(401);
    expect(
      (
        await by.insert("sponsorship_spots", {
          sponsorship_id: made?.id,
          weekday_date: dates[17],
        })
      ).status,
    ).toBe(403);
    expect(await taken(dates[17]!)).toBe(0);
  });

  it.each([
    ["in review", { status: "new" }],
    ["flagged", { status: "flagged" }],
    ["archived", { status: "archived" }],
    ["hidden", { hidden: true }],
  ])("is refused for a listing that is %s", async (_, columns) => {
    const id = await orderBy(await newBuyer(columns), dates[17]!);
    expect(await hold(id)).toEqual({ refused: "listing-not-public" });
    expect(await taken(dates[17]!)).toBe(0);
  });

  it("is refused for a listing that belongs to someone else by now", async () => {
    const buyer = await newBuyer();
    const id = await orderBy(buyer, dates[17]!);
    await sql("update public.places set owner = $2 where id = $1", [buyer.place, owner.id]);
    expect(await hold(id)).toEqual({ refused: "listing-not-yours" });
  });

  it("takes one spot of a newsletter for a listing: ten orders do not fill it", async () => {
    const [day, other] = [dates[17]!, dates[18]!];
    const buyer = await newBuyer();
    const first = await orderBy(buyer, day);
    expect(await hold(first)).toBe("held");
    for (let n = 0; n < 10; n += 1)
      expect(await hold(await orderBy(buyer, day, other))).toEqual(["duplicate", "held"]);
    expect([await taken(day), await taken(other)]).toEqual([1, 0]);
    // A second listing has a spot of its own, and a second account can't have one for the first.
    const second = { by: buyer.by, place: await database.place({ owner: buyer.by.id }) };
    expect(await hold(await orderBy(second, day))).toBe("held");
    const { by: stranger } = await newBuyer();
    expect(
      await stranger.insert("sponsorships", { place_id: buyer.place, promo_text: "x" }),
    ).toMatchObject({ message: "sponsorship_place_not_yours" });
    // Paid spots count, too; and a checkout that was opened before pays what it held.
    expect(await pay(first)).toEqual(["paid"]);
    expect(await hold(await orderBy(buyer, day))).toEqual(["duplicate"]);
  });

  it("gives a payment the spot that its order held, and refuses one whose hold is over", async () => {
    const day = dates[19]!;
    const buyer = await newBuyer();
    const [held, late] = [await orderBy(buyer, day), await orderBy(buyer, day)];
    await hold(late);
    await sql("delete from public.sponsorship_spots where sponsorship_id = $1", [late]);
    expect(await hold(held)).toBe("held");
    expect(await pay(late)).toEqual(["duplicate"]);
    // Both were held before listings had one spot each: both buyers get what they pay for.
    await sql(
      "insert into public.sponsorship_spots values ($1, $2, now() + interval '10 minutes')",
      [late, day],
    );
    await sql("update public.sponsorship_dates set held_count = 2 where weekday_date = $1", [day]);
    expect(await pay(late)).toEqual(["paid"]);
    expect(await pay(held)).toEqual(["paid"]);
  });

  it("is limited to eight dates of one account, in one order or in many", async () => {
    const { by, place: listing } = await newBuyer();
    const buyers = [listing, await database.place({ owner: by.id })].map((one) => ({
      by,
      place: one,
    }));
    const all = dates.slice(14, 23);
    expect(await hold(await orderBy(buyers[0]!, ...all))).toEqual({
      refused: "too-many-held",
      held: 0,
      most: 8,
    });
    for (const day of all.slice(0, 8))
      expect(await hold(await orderBy(buyers[0]!, day))).toBe("held");
    for (const buyer of buyers)
      expect(await hold(await orderBy(buyer, all[8]!))).toEqual({
        refused: "too-many-held",
        held: 8,
        most: 8,
      });
    // Paid dates don't count.
    const [one] = await sql(
      "select id from public.sponsorships where owner = $1 order by id offset 1",
      [by.id],
    );
    await pay(Number(one?.id));
    expect(await hold(await orderBy(buyers[0]!, all[8]!))).toBe("held");
  });

  it("can be renewed once, by any order of the listing, and again after a day", async () => {
    const day = dates[23]!;
    const buyer = await newBuyer();
    const id = await orderBy(buyer, day);
    await hold(id);
    // Going back and paying again at once continues the hold.
    await sql(
      "update private.newsletter_holds set held_until = held_until - interval '10 minutes' where place_id = $1",
      [buyer.place],
    );
    await buyer.by.call("release_sponsorship_dates", { sponsorship_id: id });
    await hold(id);
    expect(await secondsHeld(id)).toBeLessThanOrEqual(23 * 60);
    // Later, it is renewed.
    await endHolds(buyer.place, -5);
    await hold(id);
    expect(await secondsHeld(id)).toBeGreaterThan(30 * 60);
    // And then no longer, however often it is asked for.
    await endHolds(buyer.place, -5);
    await buyer.by.call("release_sponsorship_dates", { sponsorship_id: id });
    for (let times = 0; times < 3; times += 1) await hold(id);
    expect(await secondsHeld(id)).toBeLessThanOrEqual(5 * 60);
    await endHolds(buyer.place, 1);
    const again = await orderBy(buyer, day);
    for (const one of [id, again])
      expect(await hold(one)).toMatchObject({ refused: "held-twice", dates: [day] });
    expect(await taken(day)).toBe(0);
    // Another buyer may, and so may this one a day later.
    expect(await hold(await orderByNewBuyer(day))).toBe("held");
    await endHolds(buyer.place, 24 * 60 + 1);
    expect(await hold(again)).toBe("held");
    expect(await secondsHeld(again)).toBeGreaterThan(30 * 60);
  });

  it("is renewed by paying again after a debit that failed, and not by a second one", async () => {
    const day = dates[23]!;
    const id = await orderBy(await newBuyer(), day);
    const { service } = database;
    /** Pays with money that is on its way for days, and then does not arrive. */
    async function payWithFailingDebit() {
      expect(await hold(id)).toBe("held");
      const [made] = await sql(
        "select id, attempt from public.orders where sponsorship_id = $1 and status <> 'canceled'",
        [id],
      );
      const session = `cs_${id}_${String(made?.attempt)}`;
      const checkout = { order_id: made?.id, attempt: made?.attempt };
      await service.call("record_checkout_session", {
        ...checkout,
        session_id: session,
        customer_id: "cus_1",
      });
      for (const state of ["processing", "failed"]) {
        const target = await service.call("payment_target", { order_id: made?.id });
        const { seen } = target.value as { seen: number };
        const recorded = await service.call("record_payment", {
          order_id: made?.id,
          subscription_id: null,
          seen,
          facts: { session: { id: session, state } },
        });
        expect(recorded.value).toMatchObject({ status: state });
        // Three days later.
        await sql(
          "update private.newsletter_holds h set held_until = held_until - interval '3 days' where $2 = 'processing' and weekday_date = $1",
          [day, state],
        );
      }
    }
    await payWithFailingDebit();
    await payWithFailingDebit();
    expect(await hold(id)).toMatchObject({ refused: "held-twice", dates: [day] });
  });

  it("keeps an open checkout open, whatever was held before these limits", async () => {
    const { by, place: listing } = await newBuyer();
    const all = dates.slice(13, 23);
    const id = await orderBy({ by, place: listing }, ...all);
    await sql("select private.reserve_spots($1, false)", [id]);
    await sql(
      `insert into public.orders (kind, sponsorship_id, unit_price_cents, quantity, owner, stripe_checkout_session_id, expires_at)
       values ('sponsorship', $1, 4500, 10, $2, 'cs_before', now() + interval '20 minutes')`,
      [id, by.id],
    );
    expect(await hold(id)).toBe("held");
    expect(await pay(id)).toEqual(all.map(() => "paid"));
  });
});

describe("an order with an open checkout", () => {
  /** Inserts an order for one newsletter with an open checkout. */
  async function addOrderWithCheckout(fields: Row = {}) {
    const id = await order(dates[14]!);
    const payment = {
      status: "open",
      stripe_checkout_session_id: `cs_${id}`,
      expires_at: new Date(Date.now() + 60_000),
      ...fields,
    };
    const names = Object.keys(payment);
    await sql(
      `insert into public.orders (kind, sponsorship_id, unit_price_cents, owner, ${names.join(", ")})
       values ('sponsorship', $1, 4500, $2, ${names.map((_, n) => `$${n + 3}`).join(", ")})`,
      [id, admin.id, ...Object.values(payment)],
    );
    return id;
  }
  const changes: Row[] = [
    { rate: 1 },
    { sponsorship_dates: [] },
    { sponsorship_dates: ["2099-01-06"] },
  ];

  it("keeps its dates, price, and business, no matter who opened the checkout, while its feature can change", async () => {
    const id = await addOrderWithCheckout();
    for (const change of [...changes, { place_id: await database.place({ owner: owner.id }) }]) {
      expect(await owner.update("sponsorships", `id=eq.${id}`, change)).toMatchObject({
        code: "P0001",
        message: "payment_open",
      });
    }
    expect(
      (await owner.update("sponsorships", `id=eq.${id}`, { promo_text: "Updated", rate: 45 }))
        .status,
    ).toBe(204);
  });

  it("has no checkout for its former state when it changes while the checkout is being opened", async () => {
    const { service } = database;
    for (const kind of ["dates", "rate", "place", "link"]) {
      const buyer = await newBuyer();
      const change = {
        dates: { sponsorship_dates: [dates[17]] },
        rate: { rate: 30 },
        place: { place_id: await database.place({ owner: buyer.by.id }) },
        link: { link: null },
      }[kind]!;
      const id = await orderBy(buyer, dates[16]!);
      // Of a newsletter that went out before the order was refunded, and paid for again.
      if (kind === "dates" || kind === "rate") await addSentSpot(id);
      expect(await hold(id)).toBe("held");
      const [made] = await sql("select id, attempt from public.orders where sponsorship_id = $1", [
        id,
      ]);
      expect((await buyer.by.update("sponsorships", `id=eq.${id}`, change)).status).toBe(204);
      const recorded = await service.call("record_checkout_session", {
        order_id: made?.id,
        attempt: made?.attempt,
        session_id: `cs_of_${id}`,
        customer_id: "cus_1",
      });
      // What the newsletter says is not what the checkout is for.
      expect(recorded.value, kind).toBe(kind === "link");
    }
  });

  it("keeps them while the payment is processing, and can change them once it is over", async () => {
    const processing = await addOrderWithCheckout({
      status: "processing",
      expires_at: new Date(Date.now() - 60_000),
    });
    expect(await owner.update("sponsorships", `id=eq.${processing}`, { rate: 1 })).toMatchObject({
      code: "P0001",
    });
    for (const over of [
      { status: "expired" },
      { expires_at: new Date(Date.now() - 1) },
      { stripe_checkout_session_id: null },
    ]) {
      const id = await addOrderWithCheckout(over);
      for (const change of changes)
        expect((await owner.update("sponsorships", `id=eq.${id}`, change)).status).toBe(204);
    }
  });
});

it("queues one email to the owner when an order is paid", async () => {
  const id = await order(dates[15]!, dates[16]!);
  await sql("delete from private.email_queue");
  for (let times = 0; times < 2; times += 1) await pay(id);
  const rows = await sql("select kind, recipient, data from private.email_queue");
  expect(rows).toEqual([
    {
      kind: "sponsorship-confirmed",
      recipient: owner.id,
      data: { sponsorship_id: id, business: "Café X", dates: [dates[15], dates[16]], total: "90" },
    },
  ]);
});

it("no longer says which newsletters an unpaid order was for, once its sponsorship is deleted", async () => {
  const buyer = await newBuyer();
  const id = await orderBy(buyer, dates[20]!);
  expect(await hold(id)).toBe("held");
  const opened = "select status, item_dates from public.orders where owner = $1";
  expect(await sql(opened, [buyer.by.id])).toMatchObject([
    { status: "open", item_dates: [expect.anything()] },
  ]);
  await sql("delete from public.sponsorships where id = $1", [id]);
  expect(await sql(opened, [buyer.by.id])).toEqual([{ status: "canceled", item_dates: null }]);
});
