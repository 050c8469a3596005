import { readdirSync } from "node:fs";

/** Filled in by `npm run build`: what is deployed has no migrations beside it. */
declare const BUILT_MIGRATIONS: readonly string[] | undefined;

/** The versions of the migrations that this code expects the database to have, in order. */
export function listExpectedMigrations(): readonly string[] {
  return typeof BUILT_MIGRATIONS === "undefined"
    ? readdirSync("supabase/migrations")
        .flatMap((file) => /^(\d+)_.+\.sql$/.exec(file)?.[1] ?? [])
        .sort()
    : BUILT_MIGRATIONS;
}
