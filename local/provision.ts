import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { App } from "@supabase/lite";

import type { Engine } from "./engine";
import { openAuthSchema, prepareRoles } from "./foundation";
import { createSchema, migrate, readMigrations, runFile } from "./migrations";

export interface Provisioned {
  /** Migrations that ran now. */
  applied: string[];
  /** Migrations whose file is not what ran here once: only a reset brings their changes in. */
  edited: string[];
}

/** How a new database gets its schema: by the migrations, or from the files that define it. */
export type SchemaSource = "migrations" | "schemas";

/**
 * Brings a database to the state the app needs: roles, auth schema, every migration. What is there
 * already stays, so it is right for a new database and for one with years of data.
 *
 * @param source where a new database gets its schema, if the project has the files for it; one that
 *   exists runs the migrations it lacks
 */
export async function provision(
  engine: Engine,
  standIn: App,
  project: string,
  source: SchemaSource = "schemas",
): Promise<Provisioned> {
  await prepareRoles(engine);
  await standIn.ensureSystemSchema();
  await openAuthSchema(engine);
  const migrations = await readMigrations(join(project, "supabase", "migrations"));
  const schemas = await readMigrations(join(project, "supabase", "schemas"));
  const [known] = await engine.query(
    "select exists (select from supabase_migrations.schema_migrations) as any",
  );
  if (source === "schemas" && schemas.length > 0 && !known?.any)
    await createSchema(engine, schemas, migrations);
  const done = await migrate(engine, migrations);
  await standIn.connection.clearSchemaCache();
  return done;
}

/**
 * Puts `supabase/seed.sql` into a database in which no one has an account yet, once. The Supabase
 * CLI's own table says that it was done, in the same transaction.
 */
export async function seedDemo(engine: Engine, project: string): Promise<void> {
  const path = join("supabase", "seed.sql");
  const sql = await readFile(join(project, path), "utf8").catch(
    (problem: NodeJS.ErrnoException) => {
      if (problem.code === "ENOENT") return "";
      throw problem;
    },
  );
  if (!sql.trim()) return;

  await engine.script(
    `create table if not exists supabase_migrations.seed_files (
       path text not null primary key, hash text not null
     )`,
  );
  const [row] = await engine.query(
    `select exists (select from auth.users)
         or exists (select from supabase_migrations.seed_files where path = $1) as done`,
    [path],
  );
  if (row?.done) return;

  const hash = createHash("sha256").update(sql).digest("hex");
  await runFile(engine, path, sql, (statements) =>
    statements.query("insert into supabase_migrations.seed_files (path, hash) values ($1, $2)", [
      path,
      hash,
    ]),
  );
  await engine.script("analyze");
}
