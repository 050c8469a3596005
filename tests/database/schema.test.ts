/**
 * Checks the whole schema in the catalog, on both supported versions of Postgres, for mistakes that
 * expose data or make a page slow, beyond those of linter.test.ts.
 */
import { describe, expect, it } from "vitest";

import { installedPostgres15 } from "../support/postgres";

import { as, createUser, inTransaction, startMigratedPostgres } from "./support/real-postgres";

const databases = [
  { version: 17, sql: (await startMigratedPostgres(17)).sql },
  // Not every machine has a Postgres 15 of its own; 17 comes with the packages.
  ...(installedPostgres15() ? [{ version: 15, sql: (await startMigratedPostgres(15)).sql }] : []),
];

describe.each(databases)("on Postgres $version", ({ sql }) => {
  it("asks for the user of a session that exists, and never only for the token", async () => {
    const asking = await sql`
      select oid::regproc::text as name from pg_proc
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and prosrc like '%auth.uid()%'
      union all
      select tablename || ': ' || policyname from pg_policies where coalesce(qual, '') || coalesce(with_check, '') like '%auth.uid()%'
      order by 1`;
    // Those of the audit log name who did what others let through. session_user_id asks for the session
    // as well, and not for its second step.
    expect(asking.map(({ name }) => name as string)).toEqual([
      "private.log_action",
      "private.session_user_id",
      "private.start_export",
      "private.user_id",
      "private.write_audit",
    ]);
  });

  it("has an index that begins with each column that policies compare", async () => {
    const slow = await sql`
      with compared (relation, col) as (values
        ('places', 'owner'), ('places', 'owner_email'), ('jobs', 'owner'), ('sponsorships', 'owner'), ('orders', 'owner'),
        ('consents', 'user_id'), ('favorites', 'user_id'), ('feedback', 'userid'), ('events', 'user_id'),
        ('leads', 'place_id'), ('leads', 'requester'), ('place_stats', 'place_id'), ('sponsorship_spots', 'sponsorship_id'),
        ('listing_drafts', 'owner'), ('listing_managers', 'profile_id'), ('listing_managers', 'place_id'),
        ('manager_invitations', 'email'), ('manager_invitations', 'place_id'))
      select * from compared where not exists (
        select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = ('public.' || relation)::regclass and a.attname = col and i.indpred is null)`;
    expect([...slow]).toEqual([]);
  });

  it("numbers the triggers of each table in the order in which they run", async () => {
    // Bit 1: each row. Bit 2: before. Postgres runs triggers before the statement, before each row,
    // after each row, and after the statement; those of one kind by name.
    const triggers = await sql`
      select tgrelid::regclass::text as table, tgname as name, substring(tgname from '^t([1-9])_')::int as number,
        case tgtype & 3 when 2 then 1 when 3 then 2 when 1 then 3 else 4 end as stage
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not tgisinternal and (c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) or c.oid = 'auth.users'::regclass)
      order by 1, stage, tgname collate "C"`;
    expect(triggers.length).toBeGreaterThan(60);
    expect(triggers.filter(({ number }) => number === null)).toEqual([]);
    const disordered = triggers.filter((trigger, at) => {
      const before = triggers[at - 1];
      return before?.table === trigger.table && Number(before?.number) > Number(trigger.number);
    });
    expect(disordered).toEqual([]);
  });

  it("has at most one guard for each table, and no other trigger that changes a row before it is written", async () => {
    const [others, doubled] = [
      await sql`
        select tgrelid::regclass::text as table, tgname as name from pg_trigger
        where not tgisinternal and tgtype & 3 = 3 and tgname not in ('t1_guard', 't1_append_only')
          and tgrelid::regclass::text not like 'auth.%'`,
      await sql`
        select tgrelid::regclass::text as table from pg_trigger
        where not tgisinternal and tgtype & 3 = 3 and tgrelid::regclass::text not like 'auth.%'
        group by tgrelid having count(*) > 1`,
    ];
    expect([...others]).toEqual([]);
    expect([...doubled]).toEqual([]);
  });

  it("exposes no function and no view that runs with its owner's rights", async () => {
    const definers = await sql`
      select p.oid::regprocedure::text as function from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prosecdef
        and (has_function_privilege('anon', p.oid, 'execute') or has_function_privilege('authenticated', p.oid, 'execute'))`;
    expect([...definers]).toEqual([]);
    const views = await sql`
      select c.oid::regclass::text as view from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'v'
        and not coalesce(c.reloptions, '{}') @> array['security_invoker=on']`;
    expect([...views]).toEqual([]);
    const barriers = await sql`
      select oid::regclass::text as view, 'security_barrier=true' = any (reloptions) as set from pg_class
      where relnamespace = 'private'::regnamespace and relkind = 'v' and has_table_privilege('anon', oid, 'select') order by 1`;
    expect([...barriers]).toEqual([
      { view: "private.public_jobs", set: true },
      { view: "private.public_places", set: true },
    ]);
  });

  it("lets anonymous visitors read three relations, and write or call nothing", async () => {
    const granted = await sql`
      select c.relname, p.privilege from pg_class c
      cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate']) p (privilege)
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'p')
        and (has_table_privilege('anon', c.oid, p.privilege)
          or (p.privilege in ('select', 'insert', 'update') and has_any_column_privilege('anon', c.oid, p.privilege)))
      order by 1`;
    expect([...granted]).toEqual([
      { relname: "categories", privilege: "select" },
      { relname: "public_jobs", privilege: "select" },
      { relname: "public_places", privilege: "select" },
    ]);
    const callable =
      await sql`select proname from pg_proc where pronamespace = 'public'::regnamespace and has_function_privilege('anon', oid, 'execute')`;
    expect([...callable]).toEqual([]);
    // Policies ask these who is calling, which for a visitor is no one.
    const asked = await sql`
      select proname from pg_proc
      where pronamespace = 'private'::regnamespace and prosecdef and has_function_privilege('anon', oid, 'execute')
      order by proname collate "C"`;
    expect(asked.map(({ proname }) => proname as string)).toEqual([
      "is_admin",
      "is_second_step_done",
      "my_email",
      "session_user_id",
      "user_id",
    ]);
  });

  it("denies every row of a table that no API role may use, should a grant slip in", async () => {
    const open = await sql`
      select p.polrelid::regclass::text as table, p.polname from pg_policy p join pg_class c on c.oid = p.polrelid
      where (c.relnamespace = 'private'::regnamespace
          or not (has_any_column_privilege('authenticated', c.oid, 'select, insert, update')
            or has_table_privilege('authenticated', c.oid, 'delete')))
        and pg_get_expr(coalesce(p.polqual, p.polwithcheck), p.polrelid) <> 'false'`;
    expect([...open]).toEqual([]);
  });

  it("expects one row of every table that users read in part, by each column of its key", async () => {
    const tables = await sql`
      select c.relname as name, array(select a.attname::text from pg_index i, pg_attribute a
          where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = any (i.indkey)) as key,
        (select pg_get_expr(p.polqual, c.oid) from pg_policy p where p.polrelid = c.oid and not p.polpermissive
          and p.polname = 'expect one row' and p.polcmd = 'r') as expectation
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        and has_any_column_privilege('authenticated', c.oid, 'select')
        -- These are about no one.
        and c.relname not in ('categories', 'sponsorship_dates')
      order by 1`;
    expect(tables.length).toBeGreaterThan(15);
    for (const { name, key, expectation } of tables)
      for (const column of key as string[])
        expect(expectation, name as string).toContain(`(${column} OPERATOR(private.>=!) `);
  });

  it("gives no API role access to a private table, or the right to truncate a table", async () => {
    const granted = await sql`
      select c.relname, r.role from pg_class c cross join unnest(array['anon', 'authenticated', 'service_role']) r (role)
      where (c.relnamespace = 'private'::regnamespace and c.relkind = 'r' and has_table_privilege(r.role, c.oid, 'select, insert, update, delete'))
        or (c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and has_table_privilege(r.role, c.oid, 'truncate, references, trigger'))`;
    expect([...granted]).toEqual([]);
  });

  it("starts what a later migration creates without privileges", async () => {
    await inTransaction(sql, async (db) => {
      await db`create table public.later (id int)`;
      await db`create function public.later() returns int language sql set search_path = '' as 'select 1'`;
      const [row] =
        await db`select has_table_privilege('anon', 'public.later', 'select') or has_table_privilege('authenticated', 'public.later', 'insert') as readable,
        has_function_privilege('anon', 'public.later()', 'execute') or has_function_privilege('authenticated', 'public.later()', 'execute') as callable`;
      expect(row).toEqual({ readable: false, callable: false });
      await db`drop table public.later`;
      await db`drop function public.later()`;
    });
  });

  it("lets an owner submit and edit a listing, and an admin review it", async () => {
    const [owner, admin] = [
      "00000000-0000-4000-8000-00000000000a",
      "00000000-0000-4000-8000-00000000000b",
    ];
    await createUser(sql, owner, "owner@example.test");
    await createUser(sql, admin, "admin@example.test");
    await sql`update public.profiles set admin = true where id = ${admin}`;
    const [made] = await as(
      sql,
      { id: owner },
      (db) => db`
      insert into public.places (name, category, description, rawaddress, state, third_party_auth, certified_queer)
      values ('Café X', 4, 'For all', '1 Main St', 'NM', true, true) returning id::int, version`,
    );
    const [approved] = await as(
      sql,
      { id: admin },
      (db) =>
        db`select public.decide_listings(gen_random_uuid(), 'approve', null, ${sql.json([made!])}) -> 'counts' ->> 'done' as done`,
    );
    expect(approved).toEqual({ done: "1" });
    await as(
      sql,
      { id: owner },
      (db) =>
        db`update public.places set name = 'Café Y', lat = 35, long = -106 where id = ${made!.id}`,
    );
    expect([...(await sql`select name, lat from public.public_places`)]).toEqual([
      { name: "Café X", lat: null },
    ]);
    const [counts] = await as(
      sql,
      { id: admin },
      (db) => db`select public.get_places_counts() as counts`,
    );
    expect(counts?.counts).toMatchObject({ "pending-update": 1, total: 1 });
    const [desk] = await as(
      sql,
      { id: admin },
      (
        db,
      ) => db`select public.review_listings('{"view": "pending", "search": "cafe", "edit": "other"}') as page,
        public.review_dashboard() #>> '{queues,pending-update,oldest,name}' as oldest, public.lock_next_listing_for_review() ->> 'id' as next`,
    );
    expect(desk).toMatchObject({
      page: { total: 1, rows: [{ name: "Café Y" }] },
      oldest: "Café Y",
      next: String(made!.id),
    });
  });
});
