/**
 * Real Postgres with the migrations, for what PGlite cannot show: sessions that truly overlap, and
 * the other version that we promise.
 */
import { afterAll } from "vitest";
import connect, { type Sql } from "postgres";

import { startLocalSupabase } from "../../../local/supabase";
import { startPostgres } from "../../support/postgres";

import type { Caller } from "./data-api";

/** Starts a Postgres and applies the migrations. Returns the address of the database and a connection. */
export async function startMigratedPostgres(
  version: 15 | 17 = 17,
): Promise<{ url: string; sql: Sql }> {
  const postgres = await startPostgres({ version });
  const url = await postgres.createDatabase({ name: "directory" });
  const supabase = await startLocalSupabase({
    engine: { kind: "postgres", url },
    siteUrl: "http://dashboard.test",
  });
  await supabase.stop();
  const sql = connect(url, { max: 50, onnotice: () => {} });
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

/** Runs statements in one transaction with the rights of a user, as the data API does. */
export function as<Result>(
  sql: Sql,
  person: Pick<Caller, "id">,
  work: (statements: Sql) => Promise<Result>,
): Promise<Result> {
  return inTransaction(sql, async (statements) => {
    await statements`
      select set_config('request.jwt.claim.sub', ${person.id}, true),
        set_config('request.jwt.claim.role', 'authenticated', true),
        set_config('request.jwt.claims', ${JSON.stringify({ sub: person.id, role: "authenticated" })}, true),
        set_config('role', 'authenticated', true)`;
    return work(statements);
  });
}
