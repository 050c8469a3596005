/**
 * Databases for tests. TEST_POSTGRES and TEST_TEMPLATE, which postgres-for-tests.ts sets, name a
 * Postgres with a database that has the schema: every test file gets a copy. `npm run mutate` runs the
 * database tests hundreds of times, each time with one rule of the schema weakened: TEST_MUTATION is a
 * file with a statement that is applied to each copy. TEST_CALLS is a file that gets the names of the functions
 * that were called in each.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import connect from "postgres";

import type { PostgresDatabase } from "../../local/engine-postgres";

import { overSocket } from "./postgres";

const {
  TEST_POSTGRES: server,
  TEST_POSTGRES_SOCKET: socketFolder,
  TEST_TEMPLATE: template,
  TEST_MUTATION: mutation,
  TEST_CALLS: calls,
} = process.env;

/** Enough for requests that overlap. Each one plans and compiles anew what the functions of the schema do. */
const CONNECTIONS = 4;

/** No statement takes, and no lock is held, this long on a slow machine, unless it hangs. */
export const HANGS_AFTER_MS = 10 * 60_000;

/** A database with the schema. */
interface Copy {
  url: string;
  /** The same for the stand-in for Supabase. */
  engine: { kind: "postgres" } & PostgresDatabase;
  drop: () => Promise<void>;
}

/** A new database with the schema; undefined in tests that have no Postgres. */
export async function copyOfTemplate(): Promise<Copy | undefined> {
  if (!server || !template) return undefined;
  const name = `copy_${randomUUID().replaceAll("-", "")}`;
  const admin = connect(server, { max: 1, onnotice: () => {} });
  // Copying files takes half the time of Postgres's own way, which writes each page to the log first.
  await admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const statement = mutation ? readFileSync(mutation, "utf8") : "";
  if (statement) {
    const sql = connect(url.href, { max: 1, onnotice: () => {} });
    await sql.unsafe(statement);
    await sql.end();
  }
  return {
    url: url.href,
    engine: {
      kind: "postgres",
      url: overSocket(url.href, socketFolder),
      connections: CONNECTIONS,
      statementLimitMs: HANGS_AFTER_MS,
    },
    async drop() {
      if (calls)
        appendFileSync(calls, (await listCalls(url.href)).map((name) => `${name}\n`).join(""));
      await admin`drop database if exists ${admin(name)} with (force)`;
      await admin.end({ timeout: 1 });
    },
  };
}

/** The functions that were called in a database, where its server tracks them (track_functions). */
async function listCalls(url: string): Promise<string[]> {
  const sql = connect(url, { max: 1, onnotice: () => {} });
  try {
    // A session reports its calls when it ends, also one that a test leaves open.
    for (;;) {
      const open = await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
      if (open.length === 0) break;
      await sleep(50);
    }
    const called = await sql`
      select schemaname || '.' || funcname as name from pg_stat_user_functions where calls > 0`;
    return called.map((row) => String(row["name"]));
  } finally {
    await sql.end();
  }
}
