/** The schema has none of the mistakes that the linter of hosted projects finds. */
import { describe, expect, it } from "vitest";

import { installedPostgres15 } from "../support/postgres";

import { LINT_RULES } from "./support/lint-rules";
import { inTransaction, startMigratedPostgres } from "./support/real-postgres";

const databases = [
  { version: 17, sql: (await startMigratedPostgres(17)).sql },
  // Not every machine has a Postgres 15 of its own; 17 comes with the packages.
  ...(installedPostgres15() ? [{ version: 15, sql: (await startMigratedPostgres(15)).sql }] : []),
];

describe.each(databases)("on Postgres $version", ({ version, sql }) => {
  it("is that version", async () => {
    const [row] = await sql`select current_setting('server_version_num')::int / 10000 as version`;
    expect(row?.["version"]).toBe(version);
  });

  it.each(LINT_RULES)("has no finding of $name", async ({ findings }) => {
    expect((await sql.unsafe(findings)).map(({ finding }) => finding as string)).toEqual([]);
  });

  it.each(LINT_RULES)("would show $name if it were broken", async ({ findings, broken }) => {
    const undo = new Error("undo");
    await inTransaction(sql, async (db) => {
      await db.unsafe(broken);
      expect((await db.unsafe(findings)).length).toBeGreaterThan(0);
      throw undo;
    }).catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  });
});
