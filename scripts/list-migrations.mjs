import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../supabase/migrations", import.meta.url));

/**
 * The versions of the migrations in the repository, in order. The build keeps them as BUILT_MIGRATIONS: what is deployed
 * has no migrations beside it.
 * @returns {string[]}
 */
export const listMigrations = () =>
  readdirSync(folder)
    .flatMap((file) => /^(\d+)_.+\.sql$/.exec(file)?.[1] ?? [])
    .sort();
