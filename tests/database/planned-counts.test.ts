/**
 * A planned count is the planner's estimate, from statistics of all rows: with filters it tells what is in
 * rows that row level security hides. So the data API refuses it, for every table and every caller.
 */
import { beforeAll, describe, expect, it } from "vitest";

import { startDatabase } from "./support/data-api";
import { plannedRows } from "./support/planned-rows";

const database = await startDatabase();
const { anonymous, person, service, sql, supabase } = database;
const [user, admin] = [await person(), await person({ admin: true })];

const relations = (
  await sql(`
    select c.relname as name, has_table_privilege('anon', c.oid, 'select') as public,
      (select quote_ident(a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
        and not a.attisdropped and has_column_privilege('authenticated', c.oid, a.attnum, 'select')
        order by a.attnum limit 1) as col
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p', 'f')
      and has_any_column_privilege('authenticated', c.oid, 'select')
    order by 1`)
).map(({ name, public: open, col }) => ({
  name: String(name),
  open: Boolean(open),
  col: String(col),
}));

const REFUSED = { status: 400, code: "P0001", message: "planned_counts_refused" };

it("finds the tables", () => {
  expect(relations.map(({ name }) => name)).toEqual(expect.arrayContaining(["places", "leads"]));
});

describe.each(relations)("$name", ({ name, open, col }) => {
  it("is counted exactly, and not as planned", async () => {
    for (const caller of open ? [user, admin, anonymous] : [user, admin]) {
      const exact = await caller.select(name, `select=${col}&limit=1`, "count=exact");
      expect(exact.status).toBeLessThan(300);
      expect(exact.total).toBeGreaterThanOrEqual(0);
      for (const prefer of ["count=planned", "count=estimated"])
        expect(await caller.select(name, `select=${col}`, prefer)).toMatchObject(REFUSED);
    }
  });
});

describe("a planned count is refused", () => {
  it.each([
    "count=planned,count=exact",
    "return=representation, count=estimated",
    "handling=lenient,timezone=UTC ,  count=planned ,return=minimal",
    "count=exact,count=planned",
    "COUNT=Planned",
    "count = planned",
    'count="estimated"',
    "count=planned;foo=bar",
  ])("as %j", async (prefer) => {
    expect(await user.select("leads", "select=id", prefer)).toMatchObject({
      ...REFUSED,
      hint: "Use count=exact.",
    });
  });

  it.each([
    ["GET", "leads?select=id", undefined],
    ["HEAD", "leads?select=id", undefined],
    ["POST", "feedback", { feedback: "Lovely" }],
    ["PATCH", "profiles?id=is.null", { pronouns: "they" }],
    ["DELETE", "favorites?user_id=is.null", undefined],
    ["GET", "rpc/my_sent_leads", undefined],
    ["POST", "rpc/my_sent_leads", {}],
  ])("by %s %s, also in a header of its own", async (method, path, body) => {
    const response = await fetch(`${supabase.url}/rest/v1/${path}`, {
      method,
      headers: [
        ["apikey", supabase.publishableKey],
        ["Authorization", `Bearer ${user.token}`],
        ["Content-Type", "application/json"],
        ["Prefer", "return=minimal"],
        ["pReFeR", "count=planned"],
      ],
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(response.status).toBe(400);
    if (method !== "HEAD") expect(await response.json()).toMatchObject({ code: "P0001" });
  });

  it("only for the API's users: the server's key sees all rows anyway", async () => {
    expect((await service.select("leads", "select=id", "count=planned")).total).toBeGreaterThan(0);
  });

  it("and no other request is", async () => {
    for (const prefer of [
      "",
      "return=representation",
      "count=exact",
      "planned, estimated",
      "discount=planned",
    ])
      expect((await user.select("profiles", "select=id", prefer)).status).toBe(200);
  });
});

describe("the function that the data API calls before a request", () => {
  const check = (headers: string, role = "authenticated") =>
    sql("select public.check_as($1, $2)", [headers, role]).then(
      () => "passes",
      (error: Error) => error.message,
    );
  beforeAll(async () => {
    await sql(`create function public.check_as(headers text, role text) returns void language plpgsql as $$
      begin
        perform set_config('request.headers', headers, true), set_config('role', role, true);
        perform private.check_request();
      end $$`);
  });

  it.each([
    '{"prefer":"count=planned","prefer":"return=minimal"}',
    '{"prefer":"return=minimal","prefer":"count=estimated"}',
    '{"Prefer":"count=planned"}',
    '{" PREFER ":"count=planned"}',
    '{"prefer":"Count\\t=\\n planned"}',
    '{"prefer":"count=\\"planned\\""}',
    '{"prefer":["count=exact","count=planned"]}',
    '{"accept":"application/vnd.pgrst.plan"}',
    '{"accept":"application/json","accept":"application/vnd.pgrst.plan+json; for=\\"application/json\\""}',
    '{"accept":"text/csv, APPLICATION/VND.PGRST.PLAN+TEXT; options=analyze|verbose"}',
  ])("refuses %s", async (headers) => {
    for (const role of ["authenticated", "anon"])
      expect(await check(headers, role)).toBe("planned_counts_refused");
    expect(await check(headers, "service_role")).toBe("passes");
  });

  it.each([
    "",
    "{}",
    '{"prefer":"count=exact, planned"}',
    '{"accept":"application/vnd.pgrst.object+json"}',
  ])("lets %j pass", async (headers) => {
    expect(await check(headers)).toBe("passes");
  });
});

describe("the estimate behind a planned count, which a request with two Prefer headers can still reach", () => {
  it("is one row by a policy of every table that users read, unless it is about no one", async () => {
    const missing = await sql(`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and (has_any_column_privilege('authenticated', c.oid, 'select') or has_any_column_privilege('anon', c.oid, 'select'))
        and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'expect one row'
          and not p.polpermissive and p.polcmd = 'r')
      order by 1`);
    expect(missing.map(({ name }) => name)).toEqual(["categories", "sponsorship_dates"]);
  });

  interface Column {
    relation: string;
    view: boolean;
    role: "authenticated" | "anon";
    name: string;
    type: string;
  }
  /** Every column that users or visitors may read, of tables and views. */
  const columns = async () =>
    (await sql(`
      select format('public.%I', c.relname) as relation, c.relkind <> 'r' as view, r.role, a.attname as name,
        format_type(a.atttypid, null) as type
      from pg_class c cross join (values ('authenticated'), ('anon')) r (role)
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p', 'f')
        and has_column_privilege(r.role, c.oid, a.attnum, 'select')
        and c.relname not in ('categories', 'sponsorship_dates')
      order by c.relname, r.role, a.attnum`)) as unknown as Column[];

  async function addRowsOfOthers() {
    await sql(`insert into auth.users (id, email, raw_user_meta_data)
      select gen_random_uuid(), 'victim' || n || '@example.test',
        jsonb_build_object('full_name', case when n <= 100 then 'Victim' else 'Kai ' || n end)
      from generate_series(1, 300) n`);
    const [victim] = await sql(
      "select id from public.profiles where email = 'victim1@example.test'",
    );
    await sql(
      `insert into public.places (name, category, status, state, owner, owner_email, hidden, phone, public_email,
         mailingaddress, city, premium, description)
       select case when n <= 400 then 'Secret Café' else 'Place ' || n end, 1,
         case when n % 4 = 0 then 'pending-update' when n % 5 = 0 then 'new' else 'published' end, 'NY',
         case when n <= 400 then $1::uuid end, case when n <= 400 then 'victim@example.test' end, n <= 400,
         case when n <= 400 then '+1 505 555 0177' else n::text end,
         case when n <= 400 then 'victim@example.test' end, case when n <= 400 then '12 Secret Lane' end,
         case when n <= 400 then 'Taos' else 'City ' || n end, n <= 400, repeat('x', n % 7)
       from generate_series(1, 1200) n`,
      [victim!["id"]],
    );
    await sql(
      `insert into public.leads (place_id, requester_name, requester_email, message)
       select min(p.id), 'Kai', case when n <= 300 then 'victim@example.test' else n || '@example.test' end, 'Hello'
       from public.places p cross join generate_series(1, 2000) n group by n`,
    );
    await sql(
      `insert into public.jobs (title, category, description, location, company_name, company_bio, place_id, owner,
         paid, published, expiration_date)
       select case when n <= 300 then 'Secret job' else 'Job ' || n end, 85, 'x', '{NM}', 'Fern', 'Bakery',
         case when n % 2 = 0 then (select min(id) from public.places where hidden) end, $1, true, n > 300, '2100-01-01'
       from generate_series(1, 1000) n`,
      [victim!["id"]],
    );
    await sql("insert into public.favorites (user_id, place_id) select $1, id from public.places", [
      victim!["id"],
    ]);
    await sql(
      "insert into public.listing_managers (place_id, profile_id) select id, $1 from public.places",
      [victim!["id"]],
    );
    await sql(
      "insert into public.feedback (feedback) select 'Lovely' from generate_series(1, 300)",
    );
    await sql("analyze");
  }

  it("says neither how many rows others have, nor what is in them, of any table or view", async () => {
    const all = await columns();
    const asked = new Map<string, Column[]>();
    for (const column of all) {
      const key = `${column.role} ${column.relation}`;
      asked.set(key, [...(asked.get(key) ?? []), column]);
    }
    expect([...asked.keys()]).toEqual(
      expect.arrayContaining([
        "anon public.public_places",
        "anon public.public_jobs",
        "authenticated public.managed_places",
        "authenticated public.places_with_stats",
        "authenticated public.leads",
      ]),
    );
    const unfiltered = async () =>
      Object.fromEntries(
        await Promise.all(
          [...asked].map(async ([key, [column]]) => [
            key,
            (await plannedRows(sql, [column!.relation], column!.role))[0],
          ]),
        ),
      ) as Record<string, number>;
    await sql("analyze");
    const before = await unfiltered();
    await addRowsOfOthers();
    expect(await unfiltered()).toEqual(before);

    // The values that most rows have, and rare ones, of each column.
    interface Values {
      relation: string;
      column: string;
      values: string[];
    }
    const found = (await sql(
      `select format('public.%I', s.tablename) as relation,
         s.attname || ' ' || format_type(a.atttypid, null) as column,
         (s.most_common_vals::text::text[])[1:3] || (s.histogram_bounds::text::text[])[1:2] as values
       from pg_stats s
       join pg_attribute a on a.attrelid = format('%I.%I', s.schemaname, s.tablename)::regclass and a.attname = s.attname
       where s.schemaname = 'public'`,
    )) as unknown as Values[];
    /** A view takes its columns from several tables. A table has its own values, and one that it may not have. */
    const valuesOf = ({ relation, view, name, type }: Column) => {
      const all = found.filter(({ column, values }) => column === `${name} ${type}` && values);
      const isOwn = (one: Values) => view || one.relation === relation;
      const own = all.filter(isOwn).flatMap(({ values }) => values);
      const ofOthers = all.filter((one) => !isOwn(one)).flatMap(({ values }) => values);
      return new Set([...own, ...ofOthers.filter((value) => !own.includes(value)).slice(0, 1)]);
    };
    expect(found.flatMap(({ values }) => values ?? [])).toContain("victim@example.test");

    const telling: string[] = [];
    for (const [key, [first, ...others]] of asked) {
      for (const column of [first!, ...others]) {
        const { relation, role, name, type } = column;
        if (type === "json" || type === "tsvector") continue;
        const literals = [...valuesOf(column)].map((value) => `'${value.replaceAll("'", "''")}'`);
        const conditions = [
          literals.map((value) => `"${name}" = ${value}`),
          literals.map((value) => `"${name}" <= ${value}`),
          type === "text"
            ? literals.map((value) => `"${name}" >= ${value} and "${name}" < ${value} || '~'`)
            : [],
        ];
        for (const alternatives of conditions) {
          const sources = alternatives.map((condition) => `${relation} where ${condition}`);
          const expected = new Set(await plannedRows(sql, sources, role));
          if (expected.size > 1) telling.push(`${key}: ${sources[0]} ${[...expected].join(", ")}`);
        }
      }
    }
    expect(telling).toEqual([]);
  });

  it("says nothing of payments and refunds either", async () => {
    const sources = [
      "public.payments",
      "public.payments where cents = 500",
      "public.payments where cents = 1",
      "public.refunds",
      "public.refunds where cents = 100",
      "public.refunds where cents = 1",
    ];
    const [victim] = await sql(
      "select id from public.profiles where email = 'victim1@example.test'",
    );
    await sql(
      `with bought as (
         insert into public.orders (kind, job_id, days, unit_price_cents, owner)
         select 'job', j.id, 45, 500, $1 from public.jobs j returning id
       ), paid as (
         insert into public.payments (id, kind, reason, owner, order_id, cents, currency, paid_at)
         select 'pi_' || b.id, 'job', 'purchase', $1, b.id, 500, 'usd', now() from bought b returning id
       )
       insert into public.refunds (payment_id, cents, reason) select p.id, 100, 'team' from paid p`,
      [victim!["id"]],
    );
    await sql("analyze");
    expect(new Set(await plannedRows(sql, sources, "authenticated"))).toEqual(new Set([1]));
  });
});

it("does not explain a query", async () => {
  for (const format of ["json", "text"]) {
    const response = await fetch(`${supabase.url}/rest/v1/leads?select=id`, {
      headers: {
        apikey: supabase.publishableKey,
        Authorization: `Bearer ${user.token}`,
        Accept: `application/vnd.pgrst.plan+${format}`,
      },
    });
    expect([400, 406]).toContain(response.status);
    expect(await response.text()).not.toMatch(/rows/i);
  }
});

it("a planned count is refused on PGlite, too", async () => {
  const pglite = await startDatabase({ engine: { kind: "pglite" } });
  const someone = await pglite.person();
  expect(await someone.select("leads", "select=id", "count=planned")).toMatchObject(REFUSED);
  expect((await someone.select("profiles", "select=id", "count=exact")).total).toBe(1);
});
