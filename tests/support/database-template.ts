/**
 * Databases for tests. TEST_POSTGRES and TEST_TEMPLATE, which postgres-for-tests.ts sets, name a
 * Postgres with a database that has the schema: every test file gets a copy. `npm run mutate` runs the
 * database tests hundreds of times, each time with one rule of the schema weakened: TEST_MUTATION is a
 * file with a statement that is applied to each copy.
 */
import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";

import connect from "postgres";

const { TEST_POSTGRES: server, TEST_TEMPLATE: template, TEST_MUTATION: mutation } = process.env;

/** A new database with the schema; undefined in tests that have no Postgres. */
export async function copyOfTemplate(): Promise<
  { url: string; drop: () => Promise<void> } | undefined
> {
  if (!server || !template) return undefined;
  const name = `copy_${randomUUID().replaceAll("-", "")}`;
  const admin = connect(server, { max: 1, onnotice: () => {} });
  await admin`create database ${admin(name)} template ${admin(template)}`;
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
    async drop() {
      await admin`drop database if exists ${admin(name)} with (force)`;
      await admin.end({ timeout: 1 });
    },
  };
}
