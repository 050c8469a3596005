/** A bulk approval whose database process is killed (kill -9), on a Postgres that then recovers. */
import { randomUUID } from "node:crypto";
import connect, { type Sql } from "postgres";
import { beforeAll, expect, it } from "vitest";

import { claimsOf, createUser, startMigratedPostgres } from "./support/real-postgres";

const { url, sql } = await startMigratedPostgres(17, { alone: true });
const admin = { id: randomUUID() };
const LISTINGS = 250;
const quiet = { max: 1, onnotice: () => {} };

beforeAll(async () => {
  await createUser(sql, admin.id, "admin@example.test");
  await sql`update public.profiles set admin = true where id = ${admin.id}`;
  await sql`insert into public.places (name, category, status, state, owner_email)
    select 'Café ' || n, 4, 'new', 'NM', 'owner@example.test' from generate_series(1, ${LISTINGS}::int) n`;
});

/** Waits for a condition; while the database recovers, asking for it fails. */
const until = (condition: () => Promise<boolean>) =>
  expect.poll(() => condition().catch(() => false)).toBe(true);

it("approves all of the listings or none, and all of them when the form is sent again", async () => {
  const items = (await sql`select id::int, version from public.places`).map(({ id, version }) => ({
    id: Number(id),
    version: Number(version),
  }));
  const batch = randomUUID();
  const approve = async (db: Sql) => {
    await db`select set_config('request.jwt.claims', ${JSON.stringify(claimsOf(admin))}, false),
      set_config('request.jwt.claim.sub', ${admin.id}, false), set_config('request.jwt.claim.role', 'authenticated', false)`;
    const [row] =
      await db`select public.decide_listings(${batch}, 'approve', null, ${sql.json(items)}) -> 'counts' as counts`;
    return row?.counts as Record<string, number>;
  };
  const state = async () =>
    (
      await sql`select (select count(*)::int from public.places where status = 'published') as published,
      (select count(*)::int from public.audit_log where action = 'approve') as entries,
      (select sum(amount)::int from private.counters where name = 'places:new') as counted,
      (select count(*)::int from private.decision_batches) as batches`
    )[0];
  // Durability is off, so write what was committed until now before the crash.
  await sql`checkpoint`;

  // Lock the audit log: the listings are published, but their entries can't be written.
  const [holder, deciding] = [connect(url, quiet), connect(url, quiet)];
  await holder`begin`;
  await holder`lock table public.audit_log in share row exclusive mode`;
  const [holding, killed] = await Promise.all(
    [holder, deciding].map(async (db) =>
      Number((await db`select pg_backend_pid() as process`)[0]?.process),
    ),
  );
  const interrupted = approve(deciding);
  interrupted.catch(() => {});
  await until(async () => {
    const [seen] = await sql`select wait_event_type from pg_stat_activity where pid = ${killed!}`;
    return seen?.wait_event_type === "Lock";
  });
  process.kill(killed!, "SIGKILL");
  await expect(interrupted).rejects.toThrow();
  // Every connection ends with it, and the database recovers.
  await until(
    async () => (await sql`select from pg_stat_activity where pid = ${holding!}`).length === 0,
  );
  await Promise.all([holder.end({ timeout: 0 }), deciding.end({ timeout: 0 })]);

  expect(await state()).toEqual({ published: 0, entries: 0, counted: LISTINGS, batches: 0 });
  const again = connect(url, quiet);
  expect(await approve(again)).toMatchObject({ done: LISTINGS });
  await again.end();
  expect(await state()).toEqual({ published: LISTINGS, entries: LISTINGS, counted: 0, batches: 1 });
});
