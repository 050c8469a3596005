import { readdirSync } from "node:fs";

import { createServiceClient } from "./clients.server";

/** Filled in by `npm run build` (scripts/list-migrations.mjs). */
declare const BUILT_MIGRATIONS: readonly string[] | undefined;

/** The versions of the migrations that this code expects the database to have, in order. */
function listExpectedMigrations(): readonly string[] {
  return typeof BUILT_MIGRATIONS === "undefined"
    ? readdirSync("supabase/migrations")
        .flatMap((file) => /^(\d+)_.+\.sql$/.exec(file)?.[1] ?? [])
        .sort()
    : BUILT_MIGRATIONS;
}

/** What a database lacks that this code expects, and what it has that this code does not know, by version. */
export function compareMigrations(installed: readonly string[]) {
  const expected = listExpectedMigrations();
  return {
    expected,
    missing: expected.filter((version) => !installed.includes(version)),
    unknown: installed.filter((version) => !expected.includes(version)),
  };
}

/** What is wrong with the migrations of the project. */
export interface MigrationGap {
  text: string;
  /** Whether pages may fail: the database lacks what this code expects. */
  blocks: boolean;
}

/** @returns null when the migrations are those of this code, or when the project doesn't say */
export async function findMigrationGap(): Promise<MigrationGap | null> {
  const { data } = await createServiceClient().rpc("installed_migrations");
  // Without any record, as in a database that was made without the CLI, this isn't known.
  if (!data || data.length === 0) return null;
  const { missing, unknown } = compareMigrations(data);
  if (missing.length > 0)
    return {
      text: `The database is older than this code: it lacks ${missing.join(", ")}. Push the migrations.`,
      blocks: true,
    };
  if (unknown.length > 0)
    return {
      text: `The database is newer than this code, which does not know ${unknown.join(", ")}. Deploy the code that it belongs to.`,
      blocks: false,
    };
  return null;
}
