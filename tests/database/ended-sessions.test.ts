/**
 * An access token is valid for up to an hour after its session has ended. The hosted data API checks
 * only its signature and expiry, so the database has to know. These tests use the database as that
 * API does, because the local one refuses such a token before it reaches the database.
 */
import { randomUUID } from "node:crypto";
import connect from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createEverything } from "./support/everything";
import { as, claimsOf, createUser, startMigratedPostgres } from "./support/real-postgres";

const { url, sql } = await startMigratedPostgres();
const admin = { id: randomUUID() };
let owner: { id: string };

beforeAll(async () => {
  await createUser(sql, admin.id, "admin@example.test");
  await sql`update public.profiles set admin = true where id = ${admin.id}`;
  ({ owner } = await createEverything(sql, admin));
});

const tables = (
  await sql`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
      and has_table_privilege('authenticated', c.oid, 'select')
      and not has_table_privilege('anon', c.oid, 'select')
    order by 1`
).map(({ name }) => String(name));

/** One connection, as many people share the few of the data API: what it knew of one request it must not use in the next. */
const shared = connect(url, { max: 1, onnotice: () => {} });
afterAll(() => shared.end({ timeout: 1 }));

/** Reads in one transaction with the rights of a user, in the way of the data API: it can't write. */
const asReader = <Result>(person: { id: string }, work: (db: typeof sql) => Promise<Result>) =>
  as(shared, person, async (db) => {
    await db`set transaction read only`;
    return work(db);
  });

/** How many rows of each table someone reads. */
async function countReadable(person: { id: string }): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await asReader(
      person,
      (db) => db`select count(*)::int as n from public.${db(table)}`,
    );
    counts[table] = Number(row!["n"]);
  }
  return counts;
}

const NOTHING = Object.fromEntries(tables.map((table) => [table, 0]));

describe.each([
  ["signing out", (id: string) => sql`delete from auth.sessions where user_id = ${id}`],
  [
    "the end of the session's time",
    (id: string) => sql`update auth.sessions set not_after = now() where user_id = ${id}`,
  ],
  [
    "a ban",
    (id: string) =>
      sql`update auth.users set banned_until = now() + interval '1 day' where id = ${id}`,
  ],
  ["deletion", (id: string) => sql`update auth.users set deleted_at = now() where id = ${id}`],
])("after %s, the token that was issued before", (_, end) => {
  it("reads no row that a visitor could not read", async () => {
    for (const person of [owner, admin]) {
      const before = await countReadable(person);
      expect(before["places"]).toBeGreaterThan(0);
      expect(before["profiles"]).toBeGreaterThan(0);

      await end(person.id);
      expect(await countReadable(person)).toEqual(NOTHING);
      await restore(person.id);
    }
  });

  it("makes no decision", async () => {
    const items = await sql`select id::int, version from public.places`;
    await end(admin.id);
    await expect(
      as(
        sql,
        admin,
        (db) =>
          db`select public.decide_listings(gen_random_uuid(), 'approve', null, ${sql.json(items.map(({ id, version }) => ({ id, version })))})`,
      ),
    ).rejects.toMatchObject({ code: "42501", message: "admins_only" });
    await restore(admin.id);
  });

  it("writes nothing", async () => {
    await end(owner.id);
    await expect(
      as(
        sql,
        owner,
        (db) =>
          db`insert into public.places (name, category, description, rawaddress, third_party_auth, certified_queer)
             values ('Café Y', 4, 'A café.', '1 Main St', true, true)`,
      ),
    ).rejects.toMatchObject({ code: "42501" });
    const changed = await as(
      sql,
      owner,
      (db) => db`update public.places set name = 'Other' returning id`,
    );
    expect([...changed]).toEqual([]);
    await restore(owner.id);
  });
});

it("the token of an ended session doesn’t tell whether someone has as many drafts or views as they may have", async () => {
  await sql`insert into public.listing_drafts (id, owner, fields)
    select gen_random_uuid(), ${admin.id}, '{}' from generate_series(1, 20)`;
  await sql`insert into public.saved_views (owner, name, filter)
    select ${admin.id}, 'View ' || n, '{}' from generate_series(1, 20) n`;
  await sql`delete from auth.sessions where user_id = ${owner.id}`;
  const inserts: ((db: typeof sql) => Promise<unknown>)[] = [
    (db) => db`insert into public.listing_drafts (fields, owner) values ('{}', ${admin.id})`,
    (db) =>
      db`insert into public.saved_views (name, filter, owner) values ('New', '{}', ${admin.id})`,
  ];
  for (const insert of inserts)
    await expect(as(sql, owner, insert)).rejects.toMatchObject({ code: "42501" });
  await sql`delete from public.listing_drafts where owner = ${admin.id}`;
  await sql`delete from public.saved_views where owner = ${admin.id}`;
  await restore(owner.id);
});

it("a token is of no use with the session of another user", async () => {
  await sql`delete from auth.sessions where user_id = ${owner.id}`;
  await sql`insert into auth.sessions (id, user_id) values (${owner.id}, ${admin.id})`;
  expect(await countReadable(owner)).toEqual(NOTHING);
  await sql`delete from auth.sessions where id = ${owner.id}`;
  await restore(owner.id);
});

it("a page looks its session up once, and that of another token anew", async () => {
  await asReader(owner, async (db) => {
    const lookups = async () => {
      const [row] = await db`select idx_scan::int as n from pg_stat_xact_all_tables
        where relid = 'auth.sessions'::regclass`;
      return row!["n"] as number;
    };
    const before = await lookups();
    await db`select public.my_home(), public.my_counts()`;
    expect((await lookups()) - before).toBe(1);
    const claims = { ...claimsOf(admin), session_id: randomUUID() };
    await db`select set_config('request.jwt.claim.sub', ${admin.id}, true),
      set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
    expect([...(await db`select private.user_id() as caller`)]).toEqual([{ caller: null }]);
  });
});

it("an admin who was demoted has no admin's rights left", async () => {
  await sql`update public.profiles set admin = false where id = ${admin.id}`;
  expect(await countReadable(admin)).toMatchObject({ places: 0, profiles: 1 });
  await sql`update public.profiles set admin = true where id = ${admin.id}`;
});

describe("a session that was handed over by another one", () => {
  const [app, dashboard, later] = [randomUUID(), randomUUID(), randomUUID()];
  const tie = (session: string, issuer: string) =>
    sql`select public.tie_handed_over_session(${session}, ${issuer}) as tied`.then(
      ([row]) => row!["tied"] as boolean,
    );
  const begin = async (...ids: string[]) => {
    await sql`delete from auth.sessions where user_id = ${owner.id}`;
    for (const id of ids)
      await sql`insert into auth.sessions (id, user_id) values (${id}, ${owner.id})`;
  };
  const remaining = async () =>
    (await sql`select id from auth.sessions where user_id = ${owner.id}`).map(({ id }) =>
      String(id),
    );
  const passSecondStep = (id: string) =>
    sql`update auth.sessions set aal = 'aal2' where id = ${id}`;
  const end = (id: string) => sql`delete from auth.sessions where id = ${id}`;

  afterAll(() => restore(owner.id));

  it("ends with it, and so do those that it handed over itself, and no other", async () => {
    const other = randomUUID();
    await begin(app, dashboard, later, other);
    expect(await tie(dashboard, app)).toBe(true);
    expect(await tie(later, dashboard)).toBe(true);
    await end(app);
    expect(await remaining()).toEqual([other]);
    expect(
      await sql`select from private.handed_over_sessions where issued_by = ${app}`,
    ).toHaveLength(0);
  });

  it("ends without it, which stays", async () => {
    await begin(app, dashboard);
    await tie(dashboard, app);
    await end(dashboard);
    expect(await remaining()).toEqual([app]);
  });

  it("stays when it passes the second step that it has turned on, which ends all others", async () => {
    await begin(app, dashboard);
    await tie(dashboard, app);
    await passSecondStep(dashboard);
    await end(app);
    expect(await remaining()).toEqual([dashboard]);
  });

  it("ends with one that has passed the second step as well", async () => {
    await begin(app, dashboard);
    await tie(dashboard, app);
    await passSecondStep(dashboard);
    await passSecondStep(app);
    await end(app);
    expect(await remaining()).toEqual([]);
  });

  it("does not begin when the other one has ended, or is someone else's", async () => {
    for (const issuer of [randomUUID(), admin.id]) {
      await begin(dashboard);
      expect(await tie(dashboard, issuer)).toBe(false);
      expect(await remaining()).toEqual([]);
    }
  });
});

async function restore(id: string): Promise<void> {
  await sql`update auth.users set banned_until = null, deleted_at = null where id = ${id}`;
  await sql`delete from auth.sessions where user_id = ${id}`;
  await sql`insert into auth.sessions (id, user_id) values (${id}, ${id})`;
}
