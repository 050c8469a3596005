/**
 * A planned count is the planner's estimate, from statistics of all rows: with filters it tells what is in
 * rows that row level security hides. So the data API refuses it, for every table and every caller.
 */
import { describe, expect, it } from "vitest";

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

  it("for no one but the API's users: the server's key sees all rows anyway", async () => {
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

  it("does not depend on what is in rows of others", async () => {
    const [victim] = await sql(
      "insert into auth.users (id, email) values (gen_random_uuid(), 'victim@example.test') returning id",
    );
    await sql(
      `insert into public.places (name, category, status, state, owner, owner_email, hidden)
       select 'Place ' || n, 1, 'published', 'NY', case when n <= 40 then $1::uuid end,
         case when n <= 40 then 'victim@example.test' end, n <= 40
       from generate_series(1, 400) n`,
      [victim!["id"]],
    );
    await sql(
      `insert into public.leads (place_id, requester_name, requester_email, message)
       select min(p.id), 'Kai', case when n <= 300 then 'victim@example.test' else n || '@example.test' end, 'Hello'
       from public.places p cross join generate_series(1, 2000) n group by n`,
    );
    await sql("insert into public.favorites (user_id, place_id) select $1, id from public.places", [
      victim!["id"],
    ]);
    await sql("analyze public.places, public.leads, public.favorites");
    for (const query of [
      "public.places",
      "public.places where owner_email = 'victim@example.test'",
      "public.places where hidden",
      "public.leads where requester_email = 'victim@example.test'",
      "public.leads where requester_email between 'victim' and 'victin'",
      `public.favorites where user_id = '${String(victim!["id"])}'`,
    ])
      expect(await plannedRows(sql, query), query).toBe(1);
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
    expect(response.status).toBe(406);
    expect(await response.text()).not.toMatch(/rows/i);
  }
});

it("a planned count is refused on PGlite, too", async () => {
  const pglite = await startDatabase({ engine: { kind: "pglite" } });
  const someone = await pglite.person();
  expect(await someone.select("leads", "select=id", "count=planned")).toMatchObject(REFUSED);
  expect((await someone.select("profiles", "select=id", "count=exact")).total).toBe(1);
});
