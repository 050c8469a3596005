/**
 * Writes app/integrations/supabase/database.types.ts from the schema, in the form that supabase-js
 * takes. `--check` writes nothing, and exits with 1 when the file doesn't match the schema.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { openPglite } from "../local/engine-pglite";
import { projectFolder } from "../local/project-folder";
import { migratedSnapshot } from "../local/snapshot";

const TARGET = join(projectFolder, "app", "integrations", "supabase", "database.types.ts");

interface Column {
  relation: string;
  kind: "table" | "view";
  name: string;
  type: string;
  nullable: boolean;
  optional: boolean;
  /** Computed or numbered by the database: it can't be written. */
  generated: boolean;
}

interface Relationship {
  relation: string;
  name: string;
  columns: string[];
  referenced: string;
  referencedColumns: string[];
  oneToOne: boolean;
}

interface Routine {
  name: string;
  set: boolean;
  result: string;
  args: { name: string; type: string; optional: boolean }[];
  /** Columns of `returns table (...)`, or of the row type it returns; empty for a single value. */
  columns: { name: string; type: string }[];
}

/**
 * Postgres doesn't know which columns of a view can be null. These views have a row for each row of
 * one table, so their columns are null only where that table's columns of the same names are.
 */
const TABLE_BEHIND_VIEW = { public_places: "places", places_with_stats: "places" };

const COLUMNS = `
  select c.relname as relation, case c.relkind when 'v' then 'view' else 'table' end as kind,
    a.attname as name, format_type(a.atttypid, null) as type,
    not a.attnotnull and not exists (
      select from pg_attribute b where b.attname = a.attname and b.attnotnull and c.relkind = 'v'
        and b.attrelid = to_regclass('public.' || ($1::jsonb ->> c.relname))) as nullable,
    not a.attnotnull or a.atthasdef or a.attidentity <> '' as optional,
    a.attgenerated <> '' or a.attidentity = 'a' as generated
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
    and a.attnum > 0 and not a.attisdropped
  order by c.relname collate "C", a.attname collate "C"`;

const RELATIONSHIPS = `
  select f.conrelid::regclass::text as relation, f.conname as name, r.relname as referenced,
    (select array_agg(a.attname::text order by k.n) from unnest(f.conkey) with ordinality k (num, n)
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.num) as columns,
    (select array_agg(a.attname::text order by k.n) from unnest(f.confkey) with ordinality k (num, n)
      join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.num) as "referencedColumns",
    exists (select from pg_index i where i.indrelid = f.conrelid and i.indisunique and i.indpred is null
      and i.indkey::int2[] @> f.conkey and i.indkey::int2[] <@ f.conkey) as "oneToOne"
  from pg_constraint f join pg_class r on r.oid = f.confrelid
  where f.contype = 'f' and f.connamespace = 'public'::regnamespace
    and r.relnamespace = 'public'::regnamespace
  order by 1, f.conname collate "C"`;

const ROUTINES = `
  select p.proname as name, p.proretset as set, format_type(p.prorettype, null) as result,
    coalesce((select jsonb_agg(jsonb_build_object('name', p.proargnames[g.i],
        'type', format_type(p.proargtypes[g.i - 1], null),
        'optional', g.i > p.pronargs - p.pronargdefaults) order by g.i)
      from generate_series(1, p.pronargs) g (i)), '[]') as args,
    coalesce((select jsonb_agg(jsonb_build_object('name', p.proargnames[g.i],
        'type', format_type(p.proallargtypes[g.i], null)) order by g.i)
      from generate_subscripts(p.proargmodes, 1) g (i) where p.proargmodes[g.i] = 't'), '[]') as columns
  from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
    and p.prorettype <> 'trigger'::regtype
  order by p.proname collate "C"`;

const TYPES: Record<string, string> = {
  smallint: "number",
  integer: "number",
  bigint: "number",
  real: "number",
  "double precision": "number",
  numeric: "number",
  boolean: "boolean",
  json: "Json",
  jsonb: "Json",
  void: "undefined",
  tsvector: "unknown",
};

/** Everything else travels as text: uuid, timestamps, dates, bytea. */
function typescriptType(type: string): string {
  if (type.endsWith("[]")) return `${typescriptType(type.slice(0, -2))}[]`;
  return TYPES[type] ?? "string";
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function indented(lines: string[], depth: number): string[] {
  return lines.map((line) => `${"  ".repeat(depth)}${line}`);
}

function block(name: string, lines: string[]): string[] {
  return lines.length === 0
    ? [`${name}: Record<never, never>;`]
    : [`${name}: {`, ...indented(lines, 1), "};"];
}

function rowOf(columns: Column[]): string[] {
  return columns.map(
    ({ name, type, nullable }) =>
      `${key(name)}: ${typescriptType(type)}${nullable ? " | null" : ""};`,
  );
}

function writableOf(columns: Column[], allOptional: boolean): string[] {
  return columns.map(({ name, type, nullable, optional, generated }) => {
    if (generated) return `${key(name)}?: never;`;
    const mark = allOptional || optional ? "?" : "";
    return `${key(name)}${mark}: ${typescriptType(type)}${nullable ? " | null" : ""};`;
  });
}

function relationshipsOf(relationships: Relationship[]): string[] {
  if (relationships.length === 0) return ["Relationships: [];"];
  const list = (names: string[]) => `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
  return [
    "Relationships: [",
    ...relationships.flatMap((found) =>
      indented(
        [
          "{",
          `  foreignKeyName: ${JSON.stringify(found.name)};`,
          `  columns: ${list(found.columns)};`,
          `  isOneToOne: ${found.oneToOne};`,
          `  referencedRelation: ${JSON.stringify(found.referenced)};`,
          `  referencedColumns: ${list(found.referencedColumns)};`,
          "},",
        ],
        1,
      ),
    ),
    "];",
  ];
}

function functionOf({ name, args, columns, result, set }: Routine): string[] {
  const takes = args.map(
    (arg) => `${key(arg.name)}${arg.optional ? "?" : ""}: ${typescriptType(arg.type)}`,
  );
  const gives =
    columns.length > 0
      ? `{ ${columns.map((column) => `${key(column.name)}: ${typescriptType(column.type)}`).join("; ")} }`
      : typescriptType(result);
  return block(key(name), [
    `Args: ${takes.length > 0 ? `{ ${takes.join("; ")} }` : "Record<PropertyKey, never>"};`,
    `Returns: ${gives}${set ? "[]" : ""};`,
  ]);
}

function grouped<Item extends { relation: string }>(items: Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(item.relation, [...(groups.get(item.relation) ?? []), item]);
  return groups;
}

function render(columns: Column[], relationships: Relationship[], routines: Routine[]): string {
  const related = grouped(relationships);
  const tables: string[] = [];
  const views: string[] = [];
  for (const [relation, own] of grouped(columns)) {
    if (own[0]?.kind === "view") {
      views.push(...block(key(relation), [...block("Row", rowOf(own)), "Relationships: [];"]));
      continue;
    }
    tables.push(
      ...block(key(relation), [
        ...block("Row", rowOf(own)),
        ...block("Insert", writableOf(own, false)),
        ...block("Update", writableOf(own, true)),
        ...relationshipsOf(related.get(relation) ?? []),
      ]),
    );
  }
  return [
    "// Written by `npm run types` from supabase/schemas. Change those, then run it again.",
    "export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];",
    "",
    "export type Database = {",
    ...indented(
      block("public", [
        ...block("Tables", tables),
        ...block("Views", views),
        ...block("Functions", routines.flatMap(functionOf)),
        ...block("Enums", []),
        ...block("CompositeTypes", []),
      ]),
      1,
    ),
    "};",
    "",
  ].join("\n");
}

const engine = await openPglite({ snapshot: await migratedSnapshot(projectFolder) });
const [columns, relationships, routines] = [
  await engine.query(COLUMNS, [JSON.stringify(TABLE_BEHIND_VIEW)]),
  await engine.query(RELATIONSHIPS),
  await engine.query(ROUTINES),
];
await engine.close();
const wanted = render(
  columns as unknown as Column[],
  relationships as unknown as Relationship[],
  routines as unknown as Routine[],
);
const name = relative(projectFolder, TARGET);
const present = await readFile(TARGET, "utf8").catch(() => "");

if (!process.argv.includes("--check")) {
  if (present !== wanted) await writeFile(TARGET, wanted);
  console.log(present === wanted ? `${name} is current` : `Wrote ${name}`);
} else if (present !== wanted) {
  console.error(
    `${name} is not what supabase/schemas says. Run \`npm run types\` and commit the result.`,
  );
  process.exitCode = 1;
}
