/**
 * No one can be found by counting: what the counts of people near a listing tell, to an owner who moves it,
 * asks again, brings accounts of their own, and has very many listings.
 */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type Caller, startDatabase } from "./support/data-api";

const database = await startDatabase();
const { sql } = database;
let owner: Caller;
let admin: Caller;

/** Somewhere with few people. */
const TOWN = { lat: 47.3, long: -106.9 };
/** The accounts that an attacker brings to lift a count above 50: about 30 miles from there. */
const CROWD = { lat: 47.7, long: -106.9, people: 100 };
const EARTH_RADIUS_MILES = 3958.7613;

interface Point {
  lat: number;
  long: number;
}

const bringPeople = ({ lat, long }: Point, people: number) =>
  sql(
    `insert into private.position_counts (lat, long, people) values ($1, $2, $3)
     on conflict (lat, long) do update set people = excluded.people, week = '2000-01-03'`,
    [lat, long, people],
  );
const newSecret = () =>
  sql(
    "update private.nearby_secret set secret = sha256(convert_to(gen_random_uuid()::text, 'UTF8'))",
  );
const forgetLimits = () => sql("delete from public.rate_limits");

async function count(place: number, by = owner): Promise<unknown> {
  const answer = await by.call("get_user_count_by_distance", { place_id: place });
  expect(answer.status).toBe(200);
  return answer.value;
}

const featuredAt = (point: Point, columns = {}) =>
  database.place({ owner: owner.id, premium: true, ...point, ...columns });

beforeAll(async () => {
  owner = await database.person();
  admin = await database.person({ admin: true });
});

beforeEach(async () => {
  await forgetLimits();
  await sql("delete from private.position_counts");
});

describe("fewer than 50 people", () => {
  it.each([0, 1, 49])("are 0 in every response when there are %s", async (people) => {
    await bringPeople(TOWN, people);
    const place = await featuredAt(TOWN);
    expect(await count(place)).toBe(0);
    expect(await count(place, admin)).toBe(0);
    const { rows } = await owner.select(
      "places_with_stats",
      `id=eq.${place}&select=user_count_by_distance`,
    );
    expect(rows).toEqual([{ user_count_by_distance: 0 }]);
    const page = (await owner.call("my_dashboard", { page_rows: 100 })).value as {
      rows: { id: number; user_count_by_distance: number | null }[];
    };
    expect(page.rows.find(({ id }) => id === place)).toMatchObject({ user_count_by_distance: 0 });
  });

  it("are in no public view and no download", async () => {
    const columns = await sql(
      `select table_name, column_name from information_schema.columns
       where table_schema = 'public' and column_name like '%count%distance%'`,
    );
    expect(columns).toEqual([
      { table_name: "places_with_stats", column_name: "user_count_by_distance" },
    ]);
    const functions = await sql(
      "select proname from pg_proc where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and prosrc ~ 'nearby_users|people_nearby|count_users_within' order by 1",
    );
    expect(functions.map(({ proname }) => proname)).toEqual([
      "count_users_within",
      "get_user_count_by_distance",
      "nearby_users",
      "people_nearby",
    ]);
  });
});

describe("more people", () => {
  it("are a multiple of ten, never more than there are, and always the same", async () => {
    await bringPeople(TOWN, 1204);
    const place = await featuredAt(TOWN);
    const shown = Number(await count(place));
    expect(shown % 10).toBe(0);
    expect(shown).toBeLessThanOrEqual(1204);
    expect(shown).toBeGreaterThan(1204 - 48);
    expect(await count(place)).toBe(shown);
    // Anywhere in the same square of the grid it is the same circle.
    expect(await count(await featuredAt({ lat: 47.3412, long: -106.8623 }))).toBe(shown);
  });

  it("are counted once the four weeks are over in which they came, moved, or left", async () => {
    await bringPeople(TOWN, 200);
    const place = await featuredAt(TOWN);
    const shown = await count(place);
    const people = await Promise.all(Array.from({ length: 12 }, () => database.person()));
    for (const person of people) await person.call("set_my_position", TOWN);
    for (const person of people) await person.call("set_my_position", { lat: 47.4, long: -107 });
    await people[0]!.call("set_my_position", { lat: null, long: null });
    expect(await count(place)).toBe(shown);
    const [period] = await sql(
      `select since::text, extract(isodow from since)::int as day, (now() at time zone 'UTC')::date - since as age
       from private.counted_since() since`,
    );
    expect(period).toMatchObject({ day: 1 });
    expect(Number(period!["age"])).toBeLessThan(28);
    // In the first week of the four, and in any other.
    await sql("update private.position_counts set week = $1 where week > '2000-01-03'", [
      period!["since"],
    ]);
    expect(await count(place)).toBe(shown);
    await sql("update private.position_counts set week = week - 7 where week > '2000-01-03'");
    expect(await sql("select private.count_users_within(47.3, -106.9, 50)::int as n")).toEqual([
      { n: 211 },
    ]);
  });

  it("leave nothing behind where they only passed through: someone may move without end", async () => {
    const person = await database.person();
    for (const long of [-100.1, -100.2, -100.3, -100.4])
      await person.call("set_my_position", { lat: 45, long });
    expect(await sql("select lat, long, people::int from private.position_counts")).toEqual([
      { lat: 45, long: -100.4, people: 1 },
    ]);
    await person.call("set_my_position", { lat: null, long: null });
    expect(await sql("select * from private.position_counts")).toEqual([]);
    // Where someone was when the four weeks began, they still count until these are over.
    await person.call("set_my_position", TOWN);
    await sql("update private.position_counts set week = week - 28");
    await person.call("set_my_position", { lat: 45, long: -100.4 });
    expect(await sql("select private.count_users_within(47.3, -106.9, 5)::int as n")).toEqual([
      { n: 1 },
    ]);
  });
});

describe("a listing that moves", () => {
  const move = (by: Caller, place: number, to: Point) =>
    by.update("places", `id=eq.${place}`, { ...to });

  it("is counted where it was last approved, and each move is recorded, there and back", async () => {
    await bringPeople(TOWN, 300);
    const place = await featuredAt(TOWN);
    const shown = await count(place);
    expect(shown).toBeGreaterThanOrEqual(50);
    await move(owner, place, { lat: 25.8, long: -80.2 });
    expect(await count(place)).toBe(shown);
    await move(owner, place, TOWN);
    expect(await count(place)).toBe(shown);
    expect(
      await sql(
        `select actor, before ->> 'lat' as before, after ->> 'lat' as after from public.audit_log
         where subject = 'places' and subject_id = $1 and action = 'update' order by id`,
        [String(place)],
      ),
    ).toEqual([
      { actor: owner.id, before: "47.3", after: "25.8" },
      { actor: owner.id, before: "25.8", after: "47.3" },
    ]);

    await move(owner, place, { lat: 25.8, long: -80.2 });
    await admin.update("places", `id=eq.${place}`, { status: "published" });
    expect(await count(place)).toBe(0);
  });

  it.each(["new", "flagged", "archived"])(
    "and has no approved position is not counted: %s",
    async (status) => {
      await bringPeople(TOWN, 300);
      const place = await featuredAt({ lat: 25.8, long: -80.2 }, { status });
      await move(owner, place, TOWN);
      expect(await count(place)).toBeNull();
    },
  );

  it("does not find the only user of a town by bisection, which once found them in 57 calls", async () => {
    await bringPeople(TOWN, 1);
    const place = await featuredAt({ lat: TOWN.lat, long: -106 });
    const here = await count(place);
    /** Whether the circle about a point has more people than the first one. */
    const differs = async (to: Point) => {
      await move(owner, place, to);
      // The strongest case: an admin approves each move at once.
      await admin.update("places", `id=eq.${place}`, { status: "published" });
      await forgetLimits();
      return (await count(place)) !== here;
    };
    /** The edge of the circle in one direction, between a point inside and one outside. */
    const edge = async (at: (offset: number) => Point) => {
      let [inside, outside] = [0, 2];
      for (let call = 0; call < 10; call += 1) {
        const middle = (inside + outside) / 2;
        if (await differs(at(middle))) outside = middle;
        else inside = middle;
      }
      return inside;
    };
    const [north, south, east, west] = [
      await edge((offset) => ({ lat: TOWN.lat + offset, long: -106 })),
      await edge((offset) => ({ lat: TOWN.lat - offset, long: -106 })),
      await edge((offset) => ({ lat: TOWN.lat, long: -106 + offset })),
      await edge((offset) => ({ lat: TOWN.lat, long: -106 - offset })),
    ];
    // The same in every direction: the attack ran to its end and never met an edge.
    expect(new Set([north, south, east, west]).size).toBe(1);
  });

  it("is counted 60 times an hour at most, and says when to go on", async () => {
    const place = await featuredAt(TOWN);
    for (let call = 0; call < 60; call += 1) await count(place);
    const refused = await owner.call("get_user_count_by_distance", { place_id: place });
    expect(refused).toMatchObject({ status: 429, code: "P0001", message: "too_many_counts" });
    expect(refused.hint).toMatch(/^Try again in (59|60) minutes\.$/);
    expect(Number(refused.retryAfter)).toBeGreaterThan(3500);
    // What the dashboard shows is the same number, which tells nothing new.
    expect((await owner.call("my_dashboard")).status).toBe(200);
  });
});

describe("many listings", () => {
  const milesBetween = (a: Point, b: Point) => {
    const rad = Math.PI / 180;
    const half = (degrees: number) => Math.sin((degrees * rad) / 2) ** 2;
    return (
      2 *
      EARTH_RADIUS_MILES *
      Math.asin(
        Math.sqrt(
          half(a.lat - b.lat) +
            Math.cos(a.lat * rad) * Math.cos(b.lat * rad) * half(a.long - b.long),
        ),
      )
    );
  };
  const tenth = (degrees: number) => Math.round(degrees * 10) / 10;
  const grid = (about: Point, steps: number): Point[] =>
    Array.from({ length: (2 * steps + 1) ** 2 }, (_, n) => ({
      lat: tenth(about.lat + (Math.floor(n / (2 * steps + 1)) - steps) / 10),
      long: tenth(about.long + ((n % (2 * steps + 1)) - steps) / 10),
    }));
  /** A listing in every square from which the whole crowd is within 50 miles. */
  const circles = grid(CROWD, 8).filter((point) => milesBetween(point, CROWD) <= 48);
  const candidates = grid(CROWD, 15);

  /** What is shown of each circle, and the truth. */
  const ask = async () =>
    (
      await sql(
        `select private.people_nearby(c.lat, c.long)::int as shown, private.count_users_within(c.lat, c.long, 50)::int as exact
         from jsonb_array_elements($1::jsonb) with ordinality j (point, n)
         cross join lateral (select (point ->> 'lat')::float8 as lat, (point ->> 'long')::float8 as long) c order by n`,
        [JSON.stringify(circles)],
      )
    ).map(({ shown, exact }) => ({ shown: Number(shown), exact: Number(exact) }));

  /** The square in which one more person explains the counts best (least squares). */
  function locate(counts: number[]): Point {
    const score = (candidate: Point) => {
      const within = circles.map((circle) => (milesBetween(circle, candidate) <= 50 ? 1 : 0));
      const mean = (list: number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;
      const [x, y] = [mean(within), mean(counts)];
      const covariance = mean(within.map((one, at) => (one - x) * (counts[at]! - y)));
      const spread = mean(within.map((one) => (one - x) ** 2));
      return spread === 0 ? 0 : covariance / Math.sqrt(spread);
    };
    return candidates
      .map((point) => ({ point, score: score(point) }))
      .reduce((best, one) => (one.score > best.score ? one : best)).point;
  }

  it("and a crowd of the attacker's own do not find one person, whom exact counts would find", async () => {
    await bringPeople(CROWD, CROWD.people);
    await bringPeople(TOWN, 1);
    expect(circles.length).toBeGreaterThan(100);
    let found = 0;
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await newSecret();
      const answers = await ask();
      // The attack works: it finds the square within the accuracy of the grid.
      if (attempt === 0)
        expect(milesBetween(locate(answers.map(({ exact }) => exact)), TOWN)).toBeLessThan(8);
      if (milesBetween(locate(answers.map(({ shown }) => shown)), TOWN) < 8) found += 1;
    }
    expect(found).toBeLessThanOrEqual(2);
  });

  it("reveal nothing by their difference about a person who is in one of two circles", async () => {
    await newSecret();
    // Circles of their own, some with 120 people and some with one more; which of two has the person?
    const [row] = await sql(
      `select count(*) filter (where b.shown > a.shown)::int as right, count(*) filter (where b.shown < a.shown)::int as wrong
       from generate_series(1, 4000) n
       cross join lateral (select private.obscured_count(120, 'a' || n) as shown) a
       cross join lateral (select private.obscured_count(121, 'b' || n) as shown) b`,
    );
    const share = Number(row!["right"]) / (Number(row!["right"]) + Number(row!["wrong"]));
    expect(share).toBeGreaterThan(0.44);
    expect(share).toBeLessThan(0.58);
  });

  it("do not show where a newcomer lives, to someone who has a few and waits with each for the next person", async () => {
    await newSecret();
    /** A point so many miles from the town, in a direction. */
    const from = (distance: number, degrees: number): Point => ({
      lat: tenth(TOWN.lat + (distance / 69) * Math.cos((degrees * Math.PI) / 180)),
      long: tenth(TOWN.long + (distance / 46.8) * Math.sin((degrees * Math.PI) / 180)),
    });
    const directions = Array.from({ length: 12 }, (_, n) => 30 * n);
    const listings = directions.map((direction) => from(50, direction));
    /** The attacker's own accounts: some within 50 miles of each listing, and of no other. */
    const camps = directions.map((direction) => ({ ...from(92, direction), people: 90 }));
    // Some people live there, and four weeks pass between two looks.
    for (let n = 0; n < 20; n += 1) await bringPeople(from(4 * n, 77 * n), 1 + (n % 2));
    let weeks = 0;
    const look = async () => {
      weeks += 4;
      await sql(
        `create or replace function private.counted_since() returns date language sql stable
         as $$ select date '2024-01-01' + ${7 * weeks} $$`,
      );
      const rows = await sql(
        `select private.people_nearby(l.lat, l.long)::int as shown
         from jsonb_to_recordset($1::jsonb) l (n int, lat float8, long float8) order by l.n`,
        [JSON.stringify(listings.map((listing, n) => ({ n, ...listing })))],
      );
      return rows.map(({ shown }) => Number(shown));
    };
    // One more account of their own each time, until a count rises: then one fewer.
    for (const camp of camps) await bringPeople(camp, camp.people);
    const atFirst = await look();
    const waiting = new Set(camps.keys());
    for (let round = 0; round < 10 && waiting.size > 0; round += 1) {
      for (const n of waiting) await bringPeople(camps[n]!, (camps[n]!.people += 1));
      const counts = await look();
      for (const n of waiting) {
        if (counts[n]! <= atFirst[n]!) continue;
        waiting.delete(n);
        await bringPeople(camps[n]!, (camps[n]!.people -= 1));
      }
    }

    let found = 0;
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const newcomer = from((attempt * 7) % 25, 137 * attempt);
      const [old] = await sql(
        "select people from private.position_counts where (lat, long) = ($1, $2)",
        [newcomer.lat, newcomer.long],
      );
      const before = await look();
      await bringPeople(newcomer, Number(old?.["people"] ?? 0) + 1);
      const after = await look();
      await bringPeople(newcomer, Number(old?.["people"] ?? 0));
      // Where they can live: within 50 miles of each listing whose count has risen, and of no other.
      const places = grid(TOWN, 12).filter((place) =>
        listings.every(
          (listing, n) => milesBetween(listing, place) <= 50 === after[n]! > before[n]!,
        ),
      );
      const middle = {
        lat: places.reduce((sum, { lat }) => sum + lat, 0) / places.length,
        long: places.reduce((sum, { long }) => sum + long, 0) / places.length,
      };
      if (milesBetween(middle, newcomer) < 8) found += 1;
    }
    expect(found).toBeLessThanOrEqual(3);
  });

  it("rarely change when someone comes", async () => {
    await newSecret();
    const [row] = await sql(
      `select count(*) filter (where private.obscured_count(120, n::text) <> private.obscured_count(121, n::text))::int as changed
       from generate_series(1, 2000) n`,
    );
    expect(Number(row!["changed"])).toBeLessThan(2000 * 0.14);
  });

  it("depend on a secret that no one can read, and that no listing's circle shares", async () => {
    for (const by of [database.anonymous, owner, admin, database.service])
      expect((await by.select("nearby_secret")).status).toBe(404);
    const [row] = await sql(
      `select count(distinct private.obscured_count(200, n::text))::int as answers from generate_series(1, 200) n`,
    );
    expect(Number(row!["answers"])).toBeGreaterThanOrEqual(3);
  });
});
