import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Engine } from "../../local/engine";
import { readMigrations } from "../../local/migrations";

import type { Operation, ReleaseContract } from "./release-contract";

/** The contract of the release that runs now, and its newest migration. */
export type Release = ReleaseContract & { migration: string };

const MARK = "-- STOP THE OLD CODE FIRST: ";

/** The line of a migration that names something that the previous release can't do without. */
export const toMark = (item: string): string => `${MARK}${item}`;

/** Reads supabase/release.json. */
export async function readRelease(folder: string): Promise<Release> {
  return JSON.parse(await readFile(join(folder, "supabase", "release.json"), "utf8")) as Release;
}

/** What the migrations since a release say that it can't do without. */
export async function readMarks(folder: string, { migration }: Release): Promise<string[]> {
  return (await readMigrations(join(folder, "supabase", "migrations")))
    .filter(({ file }) => file > migration)
    .flatMap(({ sql }) => sql.split("\n"))
    .flatMap((line) => (line.startsWith(MARK) ? [line.slice(MARK.length).trim()] : []));
}

const API_ROLES = "array['anon', 'authenticated', 'service_role']";

/**
 * What a release needs but this database does not have, or doesn't allow any role of the API:
 * `function my_home`, `argument my_home.after`, `select places.name`, `delete jobs`.
 */
export async function findMissing(
  engine: Pick<Engine, "query">,
  { functions, relations }: ReleaseContract,
): Promise<string[]> {
  const missing: string[] = [];
  const present = await readFunctions(engine);
  for (const [name, used] of Object.entries(functions)) {
    const arguments_ = present.get(name);
    if (!arguments_) missing.push(`function ${name}`);
    else
      missing.push(
        ...used
          .filter((argument) => !arguments_.all.includes(argument))
          .map((argument) => `argument ${name}.${argument}`),
        ...arguments_.required
          .filter((argument) => !used.includes(argument))
          .map((argument) => `argument ${name}.${argument}, which is now required`),
      );
  }
  const allowed = await readPermissions(engine);
  for (const [relation, operations] of Object.entries(relations))
    for (const [operation, columns] of Object.entries(operations) as [Operation, string[]][])
      missing.push(
        ...(operation === "delete" ? [relation] : columns.map((column) => `${relation}.${column}`))
          .map((name) => `${operation} ${name}`)
          .filter((item) => !allowed.has(item)),
      );
  return missing;
}

async function readFunctions(engine: Pick<Engine, "query">) {
  const rows = await engine.query(`
    select p.proname as name, p.pronargdefaults as defaults,
      array(select a.name from unnest(p.proargnames) with ordinality a(name, at)
        where coalesce(p.proargmodes[a.at], 'i') in ('i', 'b', 'v') order by a.at) as arguments
    from pg_proc p where p.pronamespace = 'public'::regnamespace
      and exists (select from unnest(${API_ROLES}) r where has_function_privilege(r, p.oid, 'execute'))`);
  return new Map(
    rows.map((row) => {
      const all = row["arguments"] as string[];
      return [
        String(row["name"]),
        { all, required: all.slice(0, all.length - Number(row["defaults"])) },
      ];
    }),
  );
}

/** `select places.name`, and `delete places` for the table. */
async function readPermissions(engine: Pick<Engine, "query">): Promise<Set<string>> {
  const rows = await engine.query(`
    select format('%s %s.%s', o, c.relname, a.attname) as item
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped,
      unnest(array['select', 'insert', 'update']) o
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p')
      and exists (select from unnest(${API_ROLES}) r where has_column_privilege(r, c.oid, a.attnum, o))
    union all
    select 'delete ' || c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p')
      and exists (select from unnest(${API_ROLES}) r where has_table_privilege(r, c.oid, 'delete'))`);
  return new Set(rows.map((row) => String(row["item"])));
}
