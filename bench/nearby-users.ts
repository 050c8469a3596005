/**
 * How long a dashboard of 20 Featured listings takes with 250,000 users in the database, in one call, and whether
 * each listing's nearby users are counted exactly before they are obscured. `npm run bench:nearby`
 *
 * A real Postgres, filled from a fixed seed: a user is at the middle of a ZIP code, three in ten of them within 50
 * miles of New York, the others anywhere in the United States. Two owners have 20 listings each: in and about New York,
 * and in the emptiest parts of the country. Beside each figure stands its ratio to the same counts as bare SQL:
 * one statement over the kept positions, with no function, no policy and nothing else of a dashboard.
 */
import { createHmac, randomUUID } from "node:crypto";
import { createRequire } from "node:module";

import connect from "postgres";

import { startLocalSupabase } from "../local/supabase";
import { startPostgres } from "../tests/support/postgres";

const USERS = 250_000;
const LISTINGS = 20;
const ROUNDS = 40;
const SEED = 20_261_101;
const MILES = 50;
const EARTH_RADIUS_MILES = 3958.7613;
const NEW_YORK = { lat: 40.75, long: -73.98 };
const BUDGET_MS = { city: 120, country: 25 };

interface Point {
  lat: number;
  long: number;
}

/** Numbers from 0 to 1, the same in every run (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The great circle, by the angle between two directions: not the way the database reckons it. */
function milesBetween(a: Point, b: Point): number {
  const direction = ({ lat, long }: Point) => {
    const [phi, lambda] = [(lat * Math.PI) / 180, (long * Math.PI) / 180];
    return [
      Math.cos(phi) * Math.cos(lambda),
      Math.cos(phi) * Math.sin(lambda),
      Math.sin(phi),
    ] as const;
  };
  const [u, v] = [direction(a), direction(b)];
  const cross = Math.hypot(
    u[1] * v[2] - u[2] * v[1],
    u[2] * v[0] - u[0] * v[2],
    u[0] * v[1] - u[1] * v[0],
  );
  return EARTH_RADIUS_MILES * Math.atan2(cross, u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
}

interface ZipRow {
  country: string;
  latitude: number | null;
  longitude: number | null;
}

/** The grid on which positions are stored. */
const tenths = (degrees: number) => Math.round(degrees * 10) / 10;

function zipCodes(): Point[] {
  const { codes } = createRequire(import.meta.url)("zipcodes") as { codes: Record<string, ZipRow> };
  return Object.values(codes).flatMap(({ country, latitude, longitude }) =>
    country === "US" && latitude && longitude
      ? [{ lat: tenths(latitude), long: tenths(longitude) }]
      : [],
  );
}

const random = numbersFrom(SEED);
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
const everywhere = zipCodes();
const nearNewYork = everywhere.filter((point) => milesBetween(point, NEW_YORK) <= MILES);
const users = Array.from({ length: USERS }, () => pick(random() < 0.3 ? nearNewYork : everywhere));

const about = ({ lat, long }: Point, degrees: number): Point => ({
  lat: tenths(lat + (random() - 0.5) * degrees),
  long: tenths(long + (random() - 0.5) * degrees),
});
/** Deserts, plains and mountains. */
const COUNTRY: Point[] = [
  { lat: 39.5, long: -116.9 },
  { lat: 47.3, long: -106.9 },
  { lat: 30.1, long: -103.6 },
  { lat: 44.2, long: -114.9 },
  { lat: 41.9, long: -101.7 },
];
const listings = {
  city: Array.from({ length: LISTINGS }, () => about(NEW_YORK, 0.4)),
  country: Array.from({ length: LISTINGS }, (_, index) =>
    about(COUNTRY[index % COUNTRY.length]!, 1),
  ),
};
type Setting = keyof typeof listings;
const SETTINGS = Object.keys(listings) as Setting[];

const BARE = `
  with boxed as (
    select id, lat, long, degrees(${MILES} / ${EARTH_RADIUS_MILES}) as high,
      degrees(asin(sin(${MILES} / ${EARTH_RADIUS_MILES}) / cos(radians(lat)))) as wide
    from public.places where owner = $1
  )
  select b.id, n.people from boxed b cross join lateral (
    select coalesce(sum(c.people), 0)::int as people from private.position_counts c
    where c.lat between b.lat - b.high and b.lat + b.high and c.long between b.long - b.wide and b.long + b.wide
      and 2 * ${EARTH_RADIUS_MILES} * asin(sqrt(sin(radians(c.lat - b.lat) / 2) ^ 2
        + cos(radians(b.lat)) * cos(radians(c.lat)) * sin(radians(c.long - b.long) / 2) ^ 2)) <= ${MILES}
  ) n`;

/** Milliseconds of each of so many runs, in order, after a few that only warm up. */
async function timed(run: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let round = -5; round < ROUNDS; round++) {
    const started = performance.now();
    await run();
    if (round >= 0) took.push(performance.now() - started);
  }
  return took.sort((a, b) => a - b);
}

const at = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(10);

const postgres = await startPostgres();
const url = await postgres.createDatabase({ name: "bench" });
const supabase = await startLocalSupabase({
  engine: { kind: "postgres", url },
  siteUrl: "http://bench.test",
});
const sql = connect(url, { max: 1, onnotice: () => {} });

/** Asks the data API as the owner of these listings, as a page of the app does. */
function asOwner(owner: string) {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    sub: owner,
    aud: "authenticated",
    role: "authenticated",
    session_id: owner,
    exp: Math.floor(Date.now() / 1000) + 3600,
  };
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  const token = `${text}.${createHmac("sha256", supabase.jwtSecret).update(text).digest("base64url")}`;
  return async () => {
    const response = await fetch(`${supabase.url}/rest/v1/rpc/my_dashboard`, {
      method: "POST",
      headers: {
        apikey: supabase.publishableKey,
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
      },
      body: "{}",
    });
    const page = (await response.json()) as {
      rows?: { id: number; user_count_by_distance: number }[];
    };
    if (page.rows?.length !== LISTINGS)
      throw new Error(`The dashboard did not come: ${JSON.stringify(page)}`);
    return page.rows;
  };
}

/** All users at once: an account each would take minutes, and only the positions are looked at. */
async function fill(owners: Record<Setting, string>) {
  await sql`alter table auth.users disable trigger t1_create_profile`;
  await sql`insert into auth.users (id) select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid from generate_series(1, ${USERS}::int) n`;
  await sql`insert into auth.users ${sql(SETTINGS.map((setting) => ({ id: owners[setting], email: `${setting}@bench.test` })))}`;
  await sql`insert into auth.sessions (id, user_id) select id, id from unnest(${Object.values(owners)}::uuid[]) id`;
  await sql`insert into public.profiles (id) select id from auth.users`;
  await sql`
    insert into private.user_positions (user_id, lat, long)
    select ('00000000-0000-4000-8000-' || lpad(p.n::text, 12, '0'))::uuid, p.lat, p.long
    from unnest(${users.map(({ lat }) => lat)}::float8[], ${users.map(({ long }) => long)}::float8[]) with ordinality p (lat, long, n)`;
  // They came before this week began.
  await sql`update private.position_counts set week = '2000-01-03'`;
  for (const setting of SETTINGS) {
    for (const [index, point] of listings[setting].entries()) {
      await sql`
        insert into public.places (name, category, status, premium, state, owner, owner_email, lat, long)
        values (${`${setting} ${index}`}, 1, 'published', true, 'NY', ${owners[setting]}, ${`${setting}@bench.test`}, ${point.lat}, ${point.long})`;
    }
  }
  await sql`
    insert into public.place_views (place_id, hour, visitor)
    select p.id, date_trunc('hour', now(), 'UTC') - make_interval(hours => n), lpad(n::text, 64, '0')
    from public.places p cross join generate_series(1, 2000) n`;
  await sql`vacuum analyze`;
}

let fine = true;
const complain = (fault: string) => {
  fine = false;
  console.error(`✘ ${fault}`);
};
try {
  const owners = { city: randomUUID(), country: randomUUID() };
  await fill(owners);
  const [{ spots } = { spots: 0 }] = await sql<
    { spots: number }[]
  >`select count(*)::int as spots from private.position_counts`;
  console.log(
    `${USERS.toLocaleString("en")} users at ${Number(spots).toLocaleString("en")} positions, ${LISTINGS} Featured listings, ${ROUNDS} rounds\n`,
  );
  console.log(
    `${"".padEnd(9)}${"users nearby".padStart(18)}${"half within".padStart(12)}${"95 % within".padStart(12)}${"bare SQL".padStart(10)}${"ratio".padStart(8)}${"budget".padStart(10)}`,
  );

  for (const setting of SETTINGS) {
    const ask = asOwner(owners[setting]);
    const counts = (await ask()).map((row) => row.user_count_by_distance);
    const bareCounts = await sql.unsafe(BARE, [owners[setting]]);
    const expected = listings[setting].map((place) =>
      users.reduce((sum, user) => sum + (milesBetween(place, user) <= MILES ? 1 : 0), 0),
    );
    const sorted = (list: number[]) => [...list].sort((a, b) => a - b).join();
    // As pairs by rank: less by 47 at most, in tens, and nothing below 50.
    const ranked = (list: number[]) => [...list].sort((a, b) => a - b);
    const isObscured = (count: number, exact: number) =>
      count % 10 === 0 &&
      count <= exact &&
      (count === 0 ? exact < 98 : count >= 50 && count > exact - 48);
    const exact = ranked(bareCounts.map((row) => Number(row["people"])));
    if (!ranked(counts).every((count, at) => isObscured(count, exact[at]!)))
      complain(`${setting}: counted ${counts.join()}, and there are ${expected.join()}`);
    if (sorted(bareCounts.map((row) => Number(row["people"]))) !== sorted(expected))
      complain(`${setting}: the bare SQL counts otherwise`);

    const page = await timed(ask);
    const bare = await timed(() => sql.unsafe(BARE, [owners[setting]]));
    const [middle, late, floor] = [at(page, 0.5), at(page, 0.95), at(bare, 0.5)];
    const range = `${Math.min(...counts).toLocaleString("en")}–${Math.max(...counts).toLocaleString("en")}`;
    console.log(
      `${setting.padEnd(9)}${range.padStart(18)}  ${ms(middle)}  ${ms(late)}${ms(floor)}${(middle / floor).toFixed(1).padStart(8)}${ms(BUDGET_MS[setting])}`,
    );
    if (middle > BUDGET_MS[setting])
      complain(`${setting}: ${middle.toFixed(1)} ms, ${BUDGET_MS[setting]} ms at most`);
  }
  console.log(fine ? "\nExact, and within the budgets." : "");
} finally {
  await sql.end({ timeout: 1 });
  await supabase.stop();
  await postgres.stop();
}
process.exitCode = fine ? 0 : 1;
