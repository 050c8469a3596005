import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { type Caller, startDatabase } from "./support/data-api";

import { timesTried } from "../support/nightly";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let featured = 0;
let plain = 0;

beforeAll(async () => {
  owner = await database.person();
  featured = await database.place({ owner: owner.id, premium: true });
  plain = await database.place({ owner: owner.id });
});

async function stats(id: number, by = owner) {
  const { rows } = await by.select(
    "places_with_stats",
    `id=eq.${id}&select=premium2,views,favoritescount,user_count_by_distance`,
  );
  return rows[0];
}

describe("views", () => {
  it("count one a visitor and hour, and never one's own", async () => {
    const visitors = [await database.person(), await database.person()];
    for (const visitor of [...visitors, ...visitors, owner])
      await visitor.call("record_place_view", { place_id: featured });
    expect(await stats(featured)).toMatchObject({ views: 2 });
    await sql("update public.place_views set hour = hour - interval '1 hour'");
    await visitors[0]!.call("record_place_view", { place_id: featured });
    expect(await stats(featured)).toMatchObject({ views: 3 });
  });

  it("count what is public alone", async () => {
    const visitor = await database.person();
    for (const columns of [{ status: "new" }, { status: "archived" }, { hidden: true }]) {
      const id = await database.place({ premium: true, ...columns });
      await visitor.call("record_place_view", { place_id: id });
      expect(await sql("select 1 from public.place_views where place_id = $1", [id])).toEqual([]);
    }
  });

  it("leave nothing of who looked once their hour is over, and stay counted", async () => {
    const [visitor, later] = [await database.person(), await database.person()];
    const id = await database.place({ owner: owner.id, premium: true });
    const rows = async () =>
      (
        await sql("select count(*)::int as n from public.place_views where place_id = $1", [id])
      )[0]!["n"];
    const age = () =>
      sql("update public.place_views set hour = hour - interval '1 hour' where place_id = $1", [
        id,
      ]);
    await visitor.call("record_place_view", { place_id: id });
    expect(await rows()).toBe(1);
    await age();
    await later.call("record_place_view", { place_id: id });
    expect(await rows()).toBe(1);
    await age();
    // Also where no one looks at anything anymore.
    await database.service.call("due_deletions");
    expect(await rows()).toBe(0);
    expect(await stats(id)).toMatchObject({ views: 2 });
  });

  it("do not say who looked: one person's rows have nothing in common", async () => {
    const visitor = await database.person();
    const places = [await database.place(), await database.place()];
    for (const place_id of places) await visitor.call("record_place_view", { place_id });
    const rows = await sql("select visitor from public.place_views where place_id = any ($1)", [
      `{${places.join(",")}}`,
    ]);
    expect(new Set(rows.map((row) => row.visitor)).size).toBe(2);
  });
});

it("what stays booked of a deleted user is what a newsletter is still to come of", async () => {
  const [buyer, admin] = [await database.person(), await database.person({ admin: true })];
  const listing = await database.place({ owner: buyer.id });
  await sql(
    "insert into public.sponsorship_dates (weekday_date) values ('2020-01-02'), ('2040-01-03')",
  );
  for (const [day, held] of [
    ["2020-01-02", null],
    ["2040-01-03", null],
    ["2040-01-03", "2040-01-01"],
    [null, null],
  ])
    await sql(
      `with made as (insert into public.sponsorships (place_id, promo_text, owner) values ($1, 'Cake.', $2) returning id)
       insert into public.sponsorship_spots (sponsorship_id, weekday_date, held_until)
       select id, $3::date, $4::timestamptz from made where $3::date is not null`,
      [listing, buyer.id, day, held],
    );
  expect((await admin.call("deletion_effects", { user_id: buyer.id })).value).toMatchObject({
    sponsorships: 1,
  });
});

it("a favorite changes nothing about its user that an admin sees, except that every tenth one raises their number from Monday on, which is shown in tens", async () => {
  const [fan, admin] = [await database.person(), await database.person({ admin: true })];
  const seen = async () => ({
    profile: (await admin.select("profiles", `id=eq.${fan.id}`)).rows,
    page: (await admin.call("admin_user", { user_id: fan.id })).value as { favorites: number },
    effects: (await admin.call("deletion_effects", { user_id: fan.id })).value,
  });
  const before = await seen();
  expect(before.page.favorites).toBe(0);
  expect(before.effects).toMatchObject({ id: fan.id, self: false });
  for (let count = 0; count < 9; count += 1)
    await fan.insert("favorites", { user_id: fan.id, place_id: await database.place() });
  expect(await seen()).toEqual(before);
  await fan.insert("favorites", { user_id: fan.id, place_id: featured });
  expect(await seen()).toEqual(before);
  // The first moment of this week, and the last of the one before.
  const moveTo = (moment: string) =>
    sql(
      `update public.favorites set created_at = date_trunc('week', now(), 'UTC') ${moment} where user_id = $1`,
      [fan.id],
    );
  await moveTo("");
  expect(await seen()).toEqual(before);
  await moveTo("- interval '1 microsecond'");
  const after = await seen();
  expect(after.profile).toEqual(before.profile);
  expect(after.page.favorites).toBe(10);
  await fan.remove("favorites", `user_id=eq.${fan.id}&place_id=eq.${featured}`);
  expect(await seen()).toEqual(before);
});

it("one request saves a hundred listings at most, because everyone else who saves them waits for it", async () => {
  const fan = await database.person();
  const places = await sql(
    `insert into public.places (name, category, status, state)
      select 'Café ' || n, 4, 'published', 'NM' from generate_series(1, 101) n returning id`,
  );
  const rows = places.map(({ id }) => ({ user_id: fan.id, place_id: id }));
  expect(await fan.insert("favorites", rows)).toMatchObject({ message: "far_too_long" });
  expect(await fan.insert("favorites", rows.slice(1))).toMatchObject({ status: 201 });
});

it("favorites count for the listing, there and back", async () => {
  const fan = await database.person();
  const before = Number((await stats(featured))?.favoritescount);
  await fan.insert("favorites", { user_id: fan.id, place_id: featured });
  await fan.insert("favorites", { user_id: fan.id, place_id: plain });
  expect(await stats(featured)).toMatchObject({ favoritescount: before + 1 });
  await fan.remove("favorites", `user_id=eq.${fan.id}&place_id=eq.${featured}`);
  expect(await stats(featured)).toMatchObject({ favoritescount: before });
  await sql("delete from auth.users where id = $1", [fan.id]);
  expect(
    await sql("select favorites from public.place_stats where place_id = $1", [plain]),
  ).toEqual([{ favorites: 0 }]);
});

it("statistics are the Featured tier's: null for any other listing and anyone else", async () => {
  const [other, manager] = [await database.person(), await database.person()];
  for (const place of [featured, plain])
    await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
      place,
      manager.id,
    ]);
  expect(await stats(featured)).toMatchObject({ premium2: true, user_count_by_distance: 0 });
  expect(await stats(plain)).toEqual({
    premium2: false,
    views: null,
    favoritescount: null,
    user_count_by_distance: null,
  });
  // Nor past the view.
  expect(await sql("select 1 from public.place_stats where place_id = $1", [plain])).toHaveLength(
    1,
  );
  expect((await owner.select("place_stats", `place_id=eq.${plain}`)).rows).toEqual([]);
  expect((await owner.select("place_stats", `place_id=eq.${featured}`)).rows).toHaveLength(1);
  expect((await manager.select("place_stats")).rows).toMatchObject([{ place_id: featured }]);
  expect((await owner.call("get_user_count_by_distance", { place_id: featured })).value).toBe(0);
  expect((await owner.call("get_user_count_by_distance", { place_id: plain })).value).toBeNull();
  expect((await other.call("get_user_count_by_distance", { place_id: featured })).value).toBeNull();
  expect((await other.call("get_user_count_by_distance", { place_id: 987_654 })).value).toBeNull();
});

describe("people within 50 miles", () => {
  /** The same distance, computed another way: the angle between two unit vectors. */
  function miles(a: [number, number], b: [number, number]): number {
    const vector = ([lat, long]: [number, number]) => {
      const [phi, lambda] = [(lat * Math.PI) / 180, (long * Math.PI) / 180];
      return [
        Math.cos(phi) * Math.cos(lambda),
        Math.cos(phi) * Math.sin(lambda),
        Math.sin(phi),
      ] as const;
    };
    const [u, v] = [vector(a), vector(b)];
    const cross = Math.hypot(
      u[1] * v[2] - u[2] * v[1],
      u[2] * v[0] - u[0] * v[2],
      u[0] * v[1] - u[1] * v[0],
    );
    return 3958.7613 * Math.atan2(cross, u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
  }

  it("are counted exactly, at the poles and across the date line too", async () => {
    await sql("delete from private.user_positions");
    // Where boxes go wrong: dense around these points, at and about the radius.
    const centres: [number, number][] = [
      [40.7, -74],
      [-33.9, 151.2],
      [0, 0],
      [65, 179.9],
      [-20, -179.95],
      [89.8, 10],
      [90, 0],
      [-89.5, -120],
      [70, 180],
    ];
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const people: [number, number][] = [];
    for (const [lat, long] of centres) {
      for (let n = 0; n < 60; n += 1) {
        const up = Math.max(-90, Math.min(90, lat + (random() - 0.5) * 2.4));
        const wide = Math.abs(lat) > 88 ? 360 : 3 / Math.max(0.1, Math.cos((lat * Math.PI) / 180));
        let east = long + (random() - 0.5) * wide;
        if (east > 180) east -= 360;
        if (east < -180) east += 360;
        people.push([Number(up.toFixed(2)), Number(east.toFixed(2))]);
      }
    }
    await sql(
      `with made as (
         insert into auth.users (id, email) select gen_random_uuid(), null from generate_series(1, $1) returning id
       ), numbered as (select id, row_number() over () as n from made)
       select count(*) from numbered`,
      [people.length],
    );
    await sql(
      `insert into private.user_positions (user_id, lat, long)
       select p.id, (w.point ->> 0)::float8, (w.point ->> 1)::float8
       from (select id, row_number() over () as n from public.profiles where email is null) p
       join jsonb_array_elements($1::jsonb) with ordinality w (point, n) on w.n = p.n`,
      [JSON.stringify(people)],
    );
    expect(await sql("select count(*)::int as n from private.user_positions")).toEqual([
      { n: people.length },
    ]);

    // They came before this week began.
    await sql("update private.position_counts set week = '2000-01-03'");

    const point = fc.oneof(
      fc.constantFrom(...centres),
      fc
        .tuple(
          fc.constantFrom(...centres),
          fc.double({ min: -1, max: 1, noNaN: true }),
          fc.double({ min: -1, max: 1, noNaN: true }),
        )
        .map(([[lat, long], dLat, dLong]): [number, number] => [
          Math.max(-90, Math.min(90, lat + dLat)),
          Math.max(-180, Math.min(180, long + dLong)),
        ]),
    );
    await fc.assert(
      fc.asyncProperty(point, async ([lat, long]) => {
        const [row] = await sql("select private.count_users_within($1, $2, 50)::int as n", [
          lat,
          long,
        ]);
        expect(row?.n).toBe(people.filter((person) => miles(person, [lat, long]) <= 50).length);
      }),
      { numRuns: timesTried(20, 200) },
    );

    // People move and leave; the counts of each position go with them.
    await sql("update private.user_positions set lat = -lat, long = 12.5 where random() < 0.5");
    await sql("delete from private.user_positions where random() < 0.2");
    expect(
      await sql(
        "select lat, long, people::int from private.position_counts where people <> 0 order by 1, 2",
      ),
    ).toEqual(
      await sql(
        "select lat, long, count(*)::int as people from private.user_positions group by 1, 2 order by 1, 2",
      ),
    );
  });

  it("are unknown when the listing has no position", async () => {
    const id = await database.place({ owner: owner.id, premium: true, lat: null, long: null });
    expect(await stats(id)).toMatchObject({ user_count_by_distance: null, views: 0 });
  });
});

it("leads reach the owner of the listing, newest first, and their notes come back", async () => {
  const other = await database.person();
  const sender = await database.person();
  const ask = (place_id: number, message: string) =>
    sender.insert("leads", {
      place_id,
      requester_name: "Kai",
      requester_email: "kai@example.test",
      message,
    });
  await ask(plain, "First");
  await ask(plain, "Second");
  await ask(await database.place({ owner: other.id }), "Elsewhere");
  expect(await ask(await database.place({ status: "new" }), "Hidden")).toMatchObject({
    code: "42501",
  });
  expect((await owner.call("get_owner_leads")).rows).toMatchObject([
    { message: "Second", place_name: "Café X", requester_email: sender.email, state: "new" },
    { message: "First" },
  ]);
  const [{ id } = {}] = await sql("select id from public.leads where message = 'Second'");
  await owner.update("leads", `id=eq.${String(id)}`, { state: "replied", notes: "Called back" });
  expect(await owner.update("leads", `id=eq.${String(id)}`, { message: "Forged" })).toMatchObject({
    code: "42501",
  });
  expect((await other.update("leads", `id=eq.${String(id)}`, { state: "spam" })).rows).toEqual([]);
  expect((await owner.call("get_owner_leads")).rows[0]).toMatchObject({
    state: "replied",
    notes: "Called back",
  });

  // An admin finds any listing, and as one of its managers reads its messages, each once.
  const admin = await database.person({ admin: true });
  expect((await admin.call("get_owner_leads")).rows).toEqual([]);
  await sql("insert into public.listing_managers (place_id, profile_id) values ($1, $2)", [
    plain,
    admin.id,
  ]);
  expect((await admin.call("get_owner_leads")).rows).toHaveLength(2);

  // Who wrote reads their own words, and never what the owner made of them.
  expect((await sender.select("leads", "select=id")).rows).toEqual([]);
  const sent = (await sender.call("my_sent_leads")).rows;
  expect(sent.map(({ message }) => message)).toEqual(["Elsewhere", "Second", "First"]);
  expect(Object.keys(sent[0]!).sort()).toEqual([
    "created_at",
    "id",
    "message",
    "place_id",
    "requester_email",
    "requester_name",
  ]);
  expect((await other.call("my_sent_leads")).rows).toEqual([]);
});
