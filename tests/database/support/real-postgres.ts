/**
 * Real Postgres with the migrations, for what PGlite cannot show: sessions that truly overlap, and
 * the other version that we promise.
 */
import { afterAll } from "vitest";
import connect, { type Sql } from "postgres";

import { startLocalSupabase } from "../../../local/supabase";
import { copyOfTemplate, HANGS_AFTER_MS } from "../../support/database-template";
import { letLocksTake } from "../../support/lock-waits";
import { startPostgres } from "../../support/postgres";

/**
 * A Postgres with the schema: the address of the database, and connections.
 *
 * @param alone a server of its own, for a test that stops or crashes it
 */
export async function startMigratedPostgres(
  version: 15 | 17 = 17,
  { alone = false } = {},
): Promise<{ url: string; sql: Sql }> {
  const copy = version === 17 && !alone ? await copyOfTemplate() : undefined;
  if (copy) {
    const sql = connect(copy.url, { max: 20, onnotice: () => {} });
    await sql.unsafe(letLocksTake(HANGS_AFTER_MS));
    afterAll(async () => {
      await sql.end({ timeout: 1 });
      await copy.drop();
    });
    return { url: copy.url, sql };
  }
  const postgres = await startPostgres({ version, inMemory: true });
  const url = await postgres.createDatabase({ name: "directory" });
  const supabase = await startLocalSupabase({
    engine: { kind: "postgres", url },
    siteUrl: "http://dashboard.test",
  });
  await supabase.stop();
  const sql = connect(url, { max: 50, onnotice: () => {} });
  await sql.unsafe(letLocksTake(HANGS_AFTER_MS));
  afterAll(async () => {
    await sql.end({ timeout: 1 });
    await postgres.stop();
  });
  return { url, sql };
}

/** Runs statements in one transaction, and rolls it back if it throws. */
export function inTransaction<Result>(
  sql: Sql,
  work: (statements: Sql) => Promise<Result>,
): Promise<Result> {
  // The package's type of a transaction lacks its call signature.
  return sql.begin((transaction) => work(transaction as unknown as Sql)) as Promise<Result>;
}

/** The claims of the access token of a person whom `createUser` made. */
export const claimsOf = ({ id }: { id: string }) => ({
  sub: id,
  role: "authenticated",
  session_id: id,
});

/**
 * Creates a user with a confirmed address, or none, and a session; it has the id of the user. In one statement: what
 * runs at the same time may delete a user who exists already.
 */
export async function createUser(sql: Sql, id: string, email: string | null): Promise<void> {
  await sql`
    with made as (
      insert into auth.users (id, email, email_confirmed_at)
      values (${id}, ${email}, case when ${email}::text is not null then now() end) on conflict do nothing
    )
    insert into auth.sessions (id, user_id) values (${id}, ${id}) on conflict do nothing`;
}

/** Runs statements in one transaction with the rights of a user, as the data API does. */
export function as<Result>(
  sql: Sql,
  person: { id: string },
  work: (statements: Sql) => Promise<Result>,
): Promise<Result> {
  return inTransaction(sql, async (statements) => {
    await statements`
      select set_config('request.jwt.claim.sub', ${person.id}, true),
        set_config('request.jwt.claim.role', 'authenticated', true),
        set_config('request.jwt.claims', ${JSON.stringify(claimsOf(person))}, true),
        set_config('role', 'authenticated', true)`;
    return work(statements);
  });
}

/** Runs statements in one transaction with the rights of our server, as the data API does for the secret key. */
export function asServer<Result>(sql: Sql, work: (db: Sql) => Promise<Result>): Promise<Result> {
  return inTransaction(sql, async (db) => {
    await db`select set_config('request.jwt.claim.role', 'service_role', true),
      set_config('request.jwt.claims', '{"role": "service_role"}', true), set_config('role', 'service_role', true)`;
    return work(db);
  });
}
