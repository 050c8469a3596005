import { beforeAll, describe, expect, it } from "vitest";

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
/** Inserts an order of the owner's for these newsletters. Returns its id. */
async function order(...chosen: string[]): Promise<number> {
  const [made] = await sql(
    "insert into public.sponsorships (place_id, promo_text, owner, sponsorship_dates) values ($1, 'Hello', $2, $3) returning id",
    [place, owner.id, `{${chosen.join(",")}}`],
  );
  return Number(made?.id);
}
const hold = async (id: number, by = owner) =>
  (await by.call("hold_sponsorship_dates", { sponsorship_id: id })).rows.map((row) => row.outcome);
const pay = async (id: number) =>
  (await sql("select outcome from private.pay_sponsorship_dates($1)", [id])).map(
    (row) => row.outcome,
  );
const taken = async (day: string) =>
  (await available()).find((row) => row.weekday_date === day)?.sponsorship_count;
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
    await sql("delete from public.sponsorships where id = $1", [id]);
    expect(await taken(dates[0]!)).toBe(0);
  });
});

describe("spots", () => {
  it("can be held, released, held again, and paid; then they stay", async () => {
    const day = dates[4]!;
    const id = await order(day);
    expect(await hold(id)).toEqual(["held"]);
    expect(await hold(id)).toEqual(["held"]);
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

  it("are held for 31 minutes and then released", async () => {
    const day = dates[5]!;
    const id = await order(day);
    await hold(id);
    const [spot] = await sql(
      "select extract(epoch from held_until - now())::int as seconds from public.sponsorship_spots where sponsorship_id = $1",
      [id],
    );
    expect(Number(spot?.seconds)).toBeGreaterThan(31 * 60 - 10);
    expect(Number(spot?.seconds)).toBeLessThanOrEqual(31 * 60);
    await expireHold(id);
    expect(await taken(day)).toBe(0);
  });

  it("are ten for each newsletter: the eleventh order gets “full” and holds no other date", async () => {
    const [full, open] = [dates[6]!, dates[7]!];
    for (let n = 0; n < 10; n += 1) expect(await hold(await order(full))).toEqual(["held"]);
    const late = await order(full, open);
    expect(await hold(late)).toEqual(["full", "held"]);
    expect(await taken(full)).toBe(10);
    expect(await taken(open)).toBe(0);
    // Dates that are full can be changed to others.
    await owner.update("sponsorships", `id=eq.${late}`, { sponsorship_dates: [open] });
    expect(await hold(late)).toEqual(["held"]);
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
    const slow = await order(day);
    await hold(slow);
    await expireHold(slow);
    for (let n = 0; n < 10; n += 1) expect(await pay(await order(day))).toEqual(["paid"]);
    expect(await pay(slow)).toEqual(["full"]);
    expect(await database.row("sponsorships", slow)).toMatchObject({ paid: false });
    // A late payment counts while there are spots left.
    const late = await order(dates[9]!);
    await hold(late);
    await expireHold(late);
    expect(await pay(late)).toEqual(["paid"]);
  });

  it("follow the current dates of their order", async () => {
    const [before, after] = [dates[10]!, dates[11]!];
    const id = await order(before);
    await hold(id);
    await owner.update("sponsorships", `id=eq.${id}`, { sponsorship_dates: [after] });
    await hold(id);
    expect([await taken(before), await taken(after)]).toEqual([0, 1]);
  });

  it("of a blocked newsletter are neither offered nor sold", async () => {
    const day = dates[12]!;
    const id = await order(day);
    expect(
      (await admin.insert("sponsorship_dates", { weekday_date: day, blocked: true })).status,
    ).toBe(201);
    expect(await taken(day)).toBeUndefined();
    expect(await hold(id)).toEqual(["blocked"]);
    await admin.update("sponsorship_dates", `weekday_date=eq.${day}`, { blocked: false });
    expect(await hold(id)).toEqual(["held"]);
    expect(
      await admin.update("sponsorship_dates", `weekday_date=eq.${day}`, { paid_count: 0 }),
    ).toMatchObject({ code: "42501" });
  });

  it("of an order can be held by its owner only", async () => {
    const id = await order(dates[13]!);
    const other = await database.person();
    expect(await other.call("hold_sponsorship_dates", { sponsorship_id: id })).toMatchObject({
      code: "42501",
    });
    expect(await other.call("hold_sponsorship_dates", { sponsorship_id: 987_654 })).toMatchObject({
      code: "42501",
    });
    expect(await taken(dates[13]!)).toBe(0);
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
    { sponsorship_dates: ["2030-01-01"] },
  ];

  it("keeps its dates, price, and business, whoever opened the checkout, while its feature can change", async () => {
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
