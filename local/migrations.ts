import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Engine, Statements } from "./engine";

interface Migration {
  /** The digits before the first underscore, by which the files are ordered. */
  version: string;
  name: string;
  file: string;
  sql: string;
}

export class MigrationFailed extends Error {
  override name = "MigrationFailed";
}

const FILE_NAME = /^(\d+)_(.+)\.sql$/;

/** Reads the SQL files of a folder in the order they are to be applied. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = await readdir(folder).catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === "ENOENT") return [];
    throw problem;
  });
  const migrations: Migration[] = [];
  for (const file of files.sort()) {
    const parts = FILE_NAME.exec(file);
    if (!parts?.[1] || !parts[2]) continue;
    const sql = await readFile(join(folder, file), "utf8");
    migrations.push({ version: parts[1], name: parts[2], file, sql });
  }
  return migrations;
}

/**
 * Brings a database up to date: every migration it does not have runs in a transaction of its own,
 * together with its row in `supabase_migrations.schema_migrations`, the table the Supabase CLI
 * keeps. After a failure, the database is as the migration before left it.
 *
 * Returns the files that ran now, and those whose text is no longer what once ran: their changes
 * are not in this database and never will be.
 */
export async function migrate(
  engine: Engine,
  migrations: readonly Migration[],
): Promise<{ applied: string[]; edited: string[] }> {
  // Their hashes: the texts are megabytes, and a start would take a second for them.
  const rows = await engine.query(
    `select version, encode(sha256(convert_to(array_to_string(statements, e'\\n'), 'UTF8')), 'hex') as hash
     from supabase_migrations.schema_migrations`,
  );
  const known = new Map(rows.map((row) => [String(row.version), row.hash]));
  const applied: string[] = [];
  const edited: string[] = [];

  for (const migration of migrations) {
    if (known.has(migration.version)) {
      const hash = known.get(migration.version);
      if (hash !== null && hash !== hashOf(migration.sql)) edited.push(migration.file);
      continue;
    }
    await runFile(engine, migration.file, migration.sql, (statements) =>
      statements.query(
        `insert into supabase_migrations.schema_migrations (version, name, statements)
         values ($1, $2, array[$3])`,
        [migration.version, migration.name, migration.sql],
      ),
    );
    applied.push(migration.file);
  }
  return { applied, edited };
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/**
 * Puts the schema of a project into a new database from `supabase/schemas`, where each object is
 * defined once. Its migrations lead to the same, and count as applied from then on.
 */
export async function createSchema(
  engine: Engine,
  schemas: readonly Migration[],
  migrations: readonly Migration[],
): Promise<void> {
  for (const { file, sql } of schemas) await runFile(engine, file, sql);
  for (const { version, name, sql } of migrations)
    await engine.query(
      `insert into supabase_migrations.schema_migrations (version, name, statements)
       values ($1, $2, array[$3])`,
      [version, name, sql],
    );
}

/**
 * Finds the migrations that a database has run and that the project has replaced since: their files
 * no longer exist, and the project has newer ones. Such a database cannot be brought up to date.
 * Returns their versions, oldest first; an empty list for a new database. A migration that is newer
 * than all files is not among them: it comes from another branch and does no harm.
 */
export async function findReplacedMigrations(
  engine: Engine,
  migrations: readonly Migration[],
): Promise<string[]> {
  const [table] = await engine.query(
    "select to_regclass('supabase_migrations.schema_migrations') is not null as present",
  );
  if (!table?.present) return [];
  const newest = migrations.at(-1)?.version ?? "";
  const rows = await engine.query(
    "select version from supabase_migrations.schema_migrations order by version",
  );
  return rows
    .map((row) => String(row.version))
    .filter(
      (version) =>
        version < newest && !migrations.some((migration) => migration.version === version),
    );
}

/**
 * Runs one SQL file in one transaction. A failure says the file and the line.
 */
export async function runFile(
  engine: Engine,
  file: string,
  sql: string,
  alongside: (statements: Statements) => Promise<unknown> = async () => undefined,
): Promise<void> {
  try {
    await engine.transaction(async (statements) => {
      await statements.script(sql);
      await alongside(statements);
    });
  } catch (problem) {
    // Without its cause: that carries the whole file, which would bury the line that matters.
    throw new MigrationFailed(`${file} could not be applied${describe(problem, sql)}`);
  }
}

function describe(problem: unknown, sql: string): string {
  const { message, position, detail, hint, where, code } = problem as Record<
    string,
    string | undefined
  >;
  const line = position ? sql.slice(0, Number(position)).split("\n").length : undefined;
  return [
    line === undefined ? "" : ` (line ${line})`,
    `: ${message ?? String(problem)}`,
    code ? ` [${code}]` : "",
    detail ? `\n  ${detail}` : "",
    hint ? `\n  ${hint}` : "",
    where ? `\n  ${where}` : "",
  ].join("");
}
