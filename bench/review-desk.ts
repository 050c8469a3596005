/**
 * What the review desk costs with 1,000 and with 1,000,000 listings: its tables at any page, the search by name, the
 * counts, and the approval of 250 listings beside one UPDATE of the same rows; and what it costs there that every
 * statement looks up the session of the caller. `npm run bench:desk`
 *
 * A real Postgres with two databases, filled from the same fixed seed, with so many listings in each queue that every
 * view fills its page in both. Each figure is the median of many calls as the data API makes them, the two sizes in
 * turn; nothing of the network or the app is in it.
 */
import { randomUUID } from "node:crypto";

import connect, { type Sql } from "postgres";

import { DEFAULT_PAGE_SIZE, listBuiltInViews } from "~/modules/moderation/queue/filter";

import { startLocalSupabase } from "../local/supabase";
import { startPostgres } from "../tests/support/postgres";

import { TRUST_THE_TOKEN } from "./trust-the-token";

const SIZES = { small: 1_000, large: 1_000_000 };
const PAGE = 250;
const BUDGET = {
  ratio: 1.25,
  selectiveMs: 15,
  commonMs: 120,
  countsMs: 10,
  bulk: 3,
  session: 1.05,
};
const ADMIN = "00000000-0000-4000-8000-000000000001";
const OWNERS = 500;

/**
 * One in 4 has "Café" in its name and one in 20,000 "Zinnia"; every pending one has an edit. `draw` gives a number from
 * 0 below `most`, always the same for the same listing and purpose.
 */
const draw = (most: number, purpose: number) =>
  `abs(hashint8extended(n, ${purpose}) % ${most})::int`;
const oneOf = (words: string, purpose: number) =>
  `(string_to_array('${words}', ' '))[1 + ${draw(words.split(" ").length, purpose)}]`;
const FILL = `
  insert into public.places (name, category, public_email, phone, rawaddress, address, city, state, country, postalcode, lat, long,
    description, url, instagram, third_party_auth, certified_queer, status, archive_requested, changes_requested, owner, owner_email,
    premium, premium_created_at, last_update, created_at, modified_at, name_key, name_search)
  select name, category, 'hello@' || n || '.example', '+1 505-555-0100', address, address, 'Albuquerque', state, 'United States', '87106', 35.08, -106.62,
    repeat('A place for everybody, run with care. ', 4 + ${draw(9, 1)}), 'https://' || n || '.example', '@place' || n, true, true, status,
    ${draw(500, 2)} = 0, case when ${draw(300, 3)} = 0 then 'Please name your street.' end,
    case when ${draw(3, 4)} > 0 then ('00000000-0000-4000-8000-' || lpad((2 + ${draw(OWNERS, 5)})::text, 12, '0'))::uuid end,
    case when ${draw(20, 6)} > 0 then 'owner' || ${draw(OWNERS, 5)} || '@example.test' end,
    premium, case when premium then at - interval '90 days' end,
    case when status <> 'pending-update' then '{}' else (array['{"phone": "+1 505-555-0199"}',
      '{"phone": "+1 505-555-0199", "url": "https://old.example"}', '{"description": "Another place."}',
      '{"name": "Another Name", "description": "Another place."}'])[1 + ${draw(4, 7)}] end::jsonb,
    at, at, folded, to_tsvector('simple', folded)
  from (select *, lower(replace(name, 'é', 'e')) as folded from (
    select n, 1 + ${draw(32, 8)} as category, ${draw(997, 9)} || ' Main St, Albuquerque, NM' as address, n / 4 % 4 = 0 as premium,
      case when ${draw(40, 11)} > 0 then ${oneOf("AZ CA CO FL GA IL MA MN NM NY OR PA TX VT WA WI", 12)} end as state,
      (array['new', 'pending-update', 'flagged', 'published'])[1 + n % 4] as status,
      ${oneOf("Rainbow Lavender Violet Moon River Juniper Copper Velvet Harbor Prairie Willow Ember", 14)}
        || case when ${draw(20_000, 15)} = 0 then ' Zinnia ' when ${draw(4, 16)} = 0 then ' Café ' else ' House ' end
        || ${oneOf("Collective Books Kitchen Studio Garden Works Salon", 17)} || ' ' || ${draw(9973, 18)} as name,
      timestamptz '2026-11-01' - ${draw(20_000_000, 19)} * interval '1 second' as at
    from generate_series(1, $1::bigint) n
  ) named) listing`;

interface Site {
  sql: Sql;
  close(): Promise<void>;
}

async function open(url: string, listings: number): Promise<Site> {
  const supabase = await startLocalSupabase({
    engine: { kind: "postgres", url },
    siteUrl: "http://bench.test",
  });
  await supabase.stop();
  const sql = connect(url, { max: 1, onnotice: () => {} });
  await sql`set session_replication_role = replica`;
  await sql`insert into auth.users (id, email, email_confirmed_at)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'owner' || n || '@example.test', now() from generate_series(1, ${OWNERS + 1}::int) n`;
  await sql`insert into auth.sessions (id, user_id) values (${ADMIN}, ${ADMIN})`;
  await sql`insert into auth.sessions (id, user_id)
    select gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad((2 + n % ${OWNERS}::int)::text, 12, '0'))::uuid from generate_series(1, ${listings}::int) n`;
  await sql`insert into public.profiles (id, full_name, admin) select id, split_part(email, '@', 1), id = ${ADMIN} from auth.users`;
  // Indexes are made faster at once than a row at a time.
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = 'public.places'::regclass and not indisunique`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await sql.unsafe(FILL, [listings]);
  for (const { definition } of indexes) await sql.unsafe(definition);
  await sql`insert into private.counters (name, amount) select counted, count(*) from public.places cross join unnest(array[
      'places:total', 'places:' || status, case when premium then 'places:premium' end,
      case when archive_requested and status <> 'archived' then 'places:archive-requested' end]) counted
    where counted is not null group by counted`;
  await sql`set session_replication_role = origin`;
  await sql`vacuum analyze`;
  await signIn(sql, ADMIN);
  return { sql, close: () => sql.end({ timeout: 1 }) };
}

/** From here on, the connection asks as this user, in the session with the same id. */
async function signIn(sql: Sql, id: string) {
  await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: id, role: "authenticated", session_id: id })}, false),
    set_config('request.jwt.claim.sub', ${id}, false), set_config('request.jwt.claim.role', 'authenticated', false)`;
}

const middle = (took: number[]) => took.sort((a, b) => a - b)[Math.floor(took.length / 2)]!;
const ms = (value: number) => `${value.toFixed(2)} ms`.padStart(12);
let fine = true;
function judge(within: boolean): string {
  fine &&= within;
  return within ? "✔" : "✘";
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The medians of two pieces of work, done in turn so that a busy moment of the machine meets both. */
async function inTurn(
  rounds: number,
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<[number, number]> {
  const took: [number[], number[]] = [[], []];
  for (let round = -3; round < rounds; round += 1) {
    for (const [index, work] of [one, other].entries()) {
      const spent = await timed(work);
      if (round >= 0) took[index]!.push(spent);
    }
  }
  return [middle(took[0]), middle(took[1])];
}

interface Page {
  total: number;
  more: boolean;
  rows: { id: number; version: number; cursor: string }[];
  next: string | null;
}

async function page(
  sql: Sql,
  filter: object,
  at: { after?: string | null; before?: string | null } = {},
): Promise<Page> {
  const [row] =
    await sql`select public.review_listings(${sql.json(filter as never)}, ${at.after ?? null}, ${at.before ?? null}, ${PAGE}) as page`;
  return row?.page as Page;
}

/** A cursor in the middle of all that is in a view: of the listing there. */
async function cursorInTheMiddle(
  sql: Sql,
  filter: object,
  condition: string,
  key: string,
): Promise<string> {
  const [{ id } = { id: 0 }] = await sql.unsafe<{ id: number }[]>(
    `select id::int from public.places where ${condition} order by ${key}, id offset (select count(*) / 2 from public.places where ${condition}) limit 1`,
  );
  const [row] =
    await sql`select private.review_cursor(p, (private.review_filter(${sql.json(filter as never)})).sort) as cursor from public.places p where id = ${id}`;
  return row?.cursor as string;
}

const TABLES = [
  { name: "all", filter: {}, condition: "true", key: "modified_at" },
  { name: "all, newest", filter: { sort: "newest" }, condition: "true", key: "modified_at" },
  { name: "all, by name", filter: { sort: "name" }, condition: "true", key: "name_key" },
  { name: "new", filter: { view: "new" }, condition: "status = 'new'", key: "modified_at" },
  {
    name: "pending",
    filter: { view: "pending" },
    condition: "status = 'pending-update'",
    key: "modified_at",
  },
  {
    name: "flagged",
    filter: { view: "flagged" },
    condition: "status = 'flagged'",
    key: "modified_at",
  },
  { name: "premium", filter: { view: "premium" }, condition: "premium", key: "premium_created_at" },
];

async function tables({ small, large }: Record<keyof typeof SIZES, Site>) {
  console.log(
    `\nA page of ${PAGE} rows${"1,000".padStart(24)}${"1,000,000".padStart(12)}     ratio (at most ${BUDGET.ratio})`,
  );
  for (const { name, filter, condition, key } of TABLES) {
    const [here, there] = [
      await cursorInTheMiddle(small.sql, filter, condition, key),
      await cursorInTheMiddle(large.sql, filter, condition, key),
    ];
    const depths: [string, { after?: string }, { after?: string }][] = [["first", {}, {}]];
    // In the middle of 1,000 no full page is left of some views: the same page stands against it.
    depths.push(["middle", name.startsWith("all") ? { after: here } : {}, { after: there }]);
    for (const [depth, near, far] of depths) {
      const rows = await Promise.all([page(small.sql, filter, near), page(large.sql, filter, far)]);
      if (rows.some((one) => one.rows.length !== PAGE))
        throw new Error(`${name}: pages of ${rows.map((one) => one.rows.length).join()}`);
      const [one, other] = await inTurn(
        40,
        () => page(small.sql, filter, near),
        () => page(large.sql, filter, far),
      );
      const ratio = other / one;
      console.log(
        `${judge(ratio <= BUDGET.ratio)} ${`${name}, ${depth}`.padEnd(30)}${ms(one)}${ms(other)}${ratio.toFixed(2).padStart(10)}`,
      );
    }
  }
}

const FILTERS = [
  { view: "pending", edit: "contact" },
  { view: "new", complete: "yes" },
  { email: "no" },
  { archive: "requested" },
  { category: "4", state: "NM" },
  { view: "flagged", age: "30", premium: "yes" },
  { asked: "yes", sort: "name" },
  { category: "7", email: "no", premium: "yes", age: "7" },
];

async function searches({ large }: { large: Site }) {
  console.log("\nAmong 1,000,000 listings");
  const show = async (name: string, filter: object, budget?: number) => {
    const found = await page(large.sql, filter);
    const [took] = await inTurn(
      15,
      () => page(large.sql, filter),
      async () => {},
    );
    const count = `${found.total.toLocaleString("en")}${found.more ? "+" : ""}`;
    const mark = budget === undefined ? " " : judge(took <= budget);
    console.log(
      `${mark} ${name.padEnd(44)}${count.padStart(9)}${ms(took)}${budget === undefined ? "" : ms(budget)}`,
    );
  };
  await show("search: zinnia", { search: "zinnia" }, BUDGET.selectiveMs);
  await show(
    "search: zinnia, among the new",
    { view: "new", search: "zinnia" },
    BUDGET.selectiveMs,
  );
  await show("search: zinn, a part of a word", { search: "zinn" }, BUDGET.selectiveMs);
  await show("search: cafe", { search: "cafe" }, BUDGET.commonMs);
  await show("search: caf, a part of a word", { search: "caf" }, BUDGET.commonMs);
  await show("search: cafe, by name", { search: "cafe", sort: "name" }, BUDGET.commonMs);
  await show(
    "search: cafe or zinnia -studio",
    { search: "cafe or zinnia -studio" },
    BUDGET.commonMs,
  );
  await show("search: cafe books, among the flagged", { view: "flagged", search: "cafe books" });
  for (const filter of FILTERS) await show(JSON.stringify(filter).replaceAll('"', ""), filter);
  for (const queue of ["pending", "new"] as const) {
    const chips = listBuiltInViews(queue).map(({ filter }) => filter);
    const [took] = await inTurn(
      15,
      () =>
        large.sql`select public.review_listings(${large.sql.json({ view: queue })}, null, null, ${DEFAULT_PAGE_SIZE}, ${large.sql.json(chips)})`,
      async () => {},
    );
    console.log(
      `  ${`${queue}: ${DEFAULT_PAGE_SIZE} rows and the counts of ${chips.length} views`.padEnd(53)}${ms(took)}`,
    );
  }
  const counts = () => large.sql`select public.get_places_counts()`;
  const [took] = await inTurn(40, counts, async () => {});
  console.log(
    `${judge(took <= BUDGET.countsMs)} ${"counts by status".padEnd(53)}${ms(took)}${ms(BUDGET.countsMs)}`,
  );
  const [dashboard] = await inTurn(
    40,
    () => large.sql`select public.review_dashboard()`,
    async () => {},
  );
  console.log(`  ${"the whole dashboard".padEnd(53)}${ms(dashboard)}`);
}

/** Each in a transaction that is taken back, so that both meet the same rows. */
async function bulk({ large }: { large: Site }) {
  const { sql } = large;
  const queue = await page(sql, { view: "new", complete: "yes" });
  const items = queue.rows.map(({ id, version }) => ({ id, version }));
  const ids = items.map(({ id }) => id);
  const taken = async (
    work: (db: Sql) => Promise<unknown>,
    triggers: "origin" | "replica" = "origin",
  ) => {
    let took = 0;
    await sql.begin(async (transaction) => {
      const db = transaction as unknown as Sql;
      await db`select set_config('session_replication_role', ${triggers}, true)`;
      took = await timed(() => work(db));
      await db`rollback and chain`;
    });
    return took;
  };
  const update = (db: Sql) =>
    db`update public.places set status = 'published' where id = any (${ids})`;
  const decide = async (db: Sql) => {
    const [row] =
      await db`select public.decide_listings(${randomUUID()}, 'approve', null, ${sql.json(items)}) -> 'counts' ->> 'done' as done`;
    if (Number(row?.done) !== PAGE) throw new Error(`${String(row?.done)} approved`);
  };
  const took: [number[], number[], number[]] = [[], [], []];
  for (let round = -3; round < 20; round += 1) {
    const spent = [await taken(update, "replica"), await taken(update), await taken(decide)];
    if (round >= 0) for (const [index, value] of spent.entries()) took[index]!.push(value);
  }
  const [bare, guarded, decided] = took.map(middle) as [number, number, number];
  console.log(`\nApproving ${PAGE} of 1,000,000 listings`);
  console.log(`  ${"one UPDATE, with no trigger".padEnd(53)}${ms(bare)}`);
  console.log(
    `  ${"one UPDATE, guarded, counted, with its audit entries".padEnd(53)}${ms(guarded)}${(guarded / bare).toFixed(2).padStart(8)}`,
  );
  console.log(
    `${judge(decided <= BUDGET.bulk * bare)} ${"decide_listings, audit included".padEnd(53)}${ms(decided)}${(decided / bare).toFixed(2).padStart(8)} (at most ${BUDGET.bulk})`,
  );
}

/**
 * The same pages with the session looked up and with the token believed, a few calls of each in turn. They run as
 * the role of signed-in users, whose policies are what asks.
 */
async function sessions({ large }: { large: Site }) {
  const { sql } = large;
  const [{ definition: lookUp } = { definition: "" }] = await sql<{ definition: string }[]>`
    select pg_get_functiondef('private.user_id()'::regprocedure) as definition`;
  console.log(
    `\nThe lookup of the session among 1,000,000${"without".padStart(15)}${"with".padStart(12)}     ratio (at most ${BUDGET.session})`,
  );
  for (const { name, filter } of TABLES.slice(0, 5)) {
    await sql`set role authenticated`;
    const took: [number[], number[]] = [[], []];
    for (let round = 0; round < 30; round += 1) {
      for (const [index, definition] of [TRUST_THE_TOKEN, lookUp].entries()) {
        await sql`reset role`;
        await sql.unsafe(definition);
        await sql`set role authenticated`;
        // Plans are made anew after the function has changed, and for good at the sixth call.
        for (let call = -8; call < 5; call += 1) {
          const spent = await timed(() => page(sql, filter));
          if (call >= 0) took[index]!.push(spent);
        }
      }
    }
    await sql`reset role`;
    const [without, withIt] = took.map(middle) as [number, number];
    const ratio = withIt / without;
    console.log(
      `${judge(ratio <= BUDGET.session)} ${name.padEnd(42)}${ms(without)}${ms(withIt)}${ratio.toFixed(3).padStart(10)}`,
    );
  }
}

const postgres = await startPostgres({
  settings: { shared_buffers: "256MB", max_wal_size: "4GB", maintenance_work_mem: "256MB" },
});
const sites: Partial<Record<keyof typeof SIZES, Site>> = {};
try {
  for (const [size, listings] of Object.entries(SIZES) as [keyof typeof SIZES, number][]) {
    const started = performance.now();
    sites[size] = await open(await postgres.createDatabase({ name: size }), listings);
    console.log(
      `${listings.toLocaleString("en")} listings, made in ${((performance.now() - started) / 1000).toFixed(0)} s`,
    );
  }
  const both = sites as Record<keyof typeof SIZES, Site>;
  await tables(both);
  await searches(both);
  await sessions(both);
  await bulk(both);
  console.log(fine ? "\nWithin the budgets." : "\nBeyond a budget: see ✘.");
} finally {
  for (const site of Object.values(sites)) await site.close();
  await postgres.stop();
}
process.exitCode = fine ? 0 : 1;
