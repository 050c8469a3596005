import { type CatalogObject, type Difference, type Kind, KINDS } from "./catalog";

/** Kinds whose definition can be replaced without losing a row. */
const REPLACEABLE: readonly Kind[] = [
  "function",
  "operator",
  "constraint",
  "index",
  "view",
  "row level security",
  "trigger",
  "policy",
  "grant",
  "role setting",
];

/**
 * The SQL that turns one catalog into another: first it drops what goes, then it creates what is
 * new or changed, each kind after those that it builds on. What could lose data, or needs a
 * decision (a changed or dropped column, a dropped table, changed rows), becomes a line that begins
 * with `-- BY HAND:`.
 *
 * @param target everything that should be there in the end
 */
export function draftMigration(
  changes: readonly Difference[],
  target: readonly CatalogObject[],
): string {
  const differences = withDependents(changes, target);
  const newTables = new Set(
    of(differences, "table").flatMap(({ before, name }) => (before ? [] : [name])),
  );
  const drops = [...KINDS].flatMap((kind) => of(differences, kind).flatMap(dropOf)).reverse();
  const creates = KINDS.flatMap((kind) =>
    inColumnOrder(of(differences, kind), target)
      .filter(({ name }) => kind !== "column" || !newTables.has(tableOf(name)))
      .flatMap((difference) =>
        kind === "table" && newTables.has(difference.name)
          ? [createTable(difference.name, target)]
          : createOf(difference),
      ),
  );
  const statements = [...drops, ...creates, ...lostGrants(differences, target)];
  // The data API reads its settings when it starts, and when it is told to.
  if (of(differences, "role setting").length > 0) statements.push("notify pgrst, 'reload config';");
  return statements.some((statement) => /^create or replace function/i.test(statement))
    ? // SQL functions are checked when they are created, and may call one that comes later here.
      ["set check_function_bodies = off;", ...statements, "set check_function_bodies = on;"].join(
        "\n\n",
      )
    : statements.join("\n\n");
}

const of = (differences: readonly Difference[], kind: Kind) =>
  differences.filter((difference) => difference.kind === kind);

/** New columns of a table in the order in which the table has them; everything else as it is. */
function inColumnOrder(
  differences: readonly Difference[],
  target: readonly CatalogObject[],
): Difference[] {
  const place = ({ kind, name }: Difference) => {
    const order = target.find(
      (one) => kind === "column" && one.kind === "column order" && one.name === tableOf(name),
    );
    return order?.definition.split(", ").indexOf(name.slice(tableOf(name).length + 1)) ?? 0;
  };
  return [...differences].sort((one, other) =>
    tableOf(one.name) === tableOf(other.name) ? place(one) - place(other) : 0,
  );
}

const tableOf = (column: string) => column.slice(0, column.lastIndexOf("."));

function createTable(table: string, target: readonly CatalogObject[]): string {
  const order = target.find(({ kind, name }) => kind === "column order" && name === table)!;
  const columns = order.definition.split(", ").map((column) => {
    const found = target.find(
      ({ kind, name }) => kind === "column" && name === `${table}.${column}`,
    )!;
    return found.create!.slice(`alter table ${table} add column `.length);
  });
  return `create table ${table} (\n  ${columns.join(",\n  ")}\n);`;
}

function dropOf({ kind, name, before, after }: Difference): string[] {
  if (!before) return [];
  if (!REPLACEABLE.includes(kind)) {
    if (after || kind === "column order") return [];
    return [`-- BY HAND: drop ${kind} ${name}`];
  }
  if (after && isReplacedInPlace(before, after)) return [];
  return before.drop ? [`${before.drop};`] : [];
}

function createOf({ kind, name, before, after }: Difference): string[] {
  if (!after) return [];
  if (kind === "column order" && (!before || isOrderAfterAdding(before, after))) return [];
  if ((before && !REPLACEABLE.includes(kind)) || after.create === null) {
    const was = before ? `, which was ${oneLine(before.definition)}` : "";
    return [`-- BY HAND: ${kind} ${name} is ${oneLine(after.definition)}${was}`];
  }
  return [`${after.create};`];
}

/** The functions and views that are dropped, most of them to be created again. */
const droppedOf = (differences: readonly Difference[]) =>
  differences.flatMap(({ kind, before, after }) =>
    (kind === "function" || kind === "view") &&
    before &&
    !(after && isReplacedInPlace(before, after))
      ? [before]
      : [],
  );

/** What a view or policy names can't be dropped, so those are dropped before, and created again. */
function withDependents(
  changes: readonly Difference[],
  target: readonly CatalogObject[],
): Difference[] {
  const all = [...changes];
  // Views come in the order in which they build on one another, and policies after them.
  for (const object of target) {
    const { kind, name, definition } = object;
    if (kind !== "view" && kind !== "policy") continue;
    if (of(changes, kind).some((change) => change.name === name)) continue;
    if (droppedOf(all).some((dropped) => isNamedIn(definition, dropped)))
      all.push({ kind, name, before: object, after: object });
  }
  const place = (difference: Difference) => {
    const at = target.findIndex((o) => o.kind === difference.kind && o.name === difference.name);
    return at === -1 ? target.length : at;
  };
  return all.sort((one, other) => place(one) - place(other));
}

/** `private.managed_places` is a view, and `private.managed_places()` a function. */
function isNamedIn(definition: string, { kind, name }: CatalogObject): boolean {
  const [called] = name.replaceAll(".", "\\.").split("(");
  return new RegExp(`(?<![\\w.])${called}${kind === "view" ? "(?![\\w(])" : "\\("}`).test(
    definition,
  );
}

/** Grants are lost when their function or view is dropped, although they are not a difference. */
function lostGrants(
  differences: readonly Difference[],
  target: readonly CatalogObject[],
): string[] {
  const recreated = droppedOf(differences).flatMap(({ drop }) =>
    drop ? [drop.replace(/^drop /, "").replace(/^view /, "table ")] : [],
  );
  return target
    .filter(
      ({ kind, name }) =>
        kind === "grant" && recreated.some((of) => name.includes(` on ${of} to `)),
    )
    .map(({ create }) => `${create};`);
}

/** Whether the order is what remains of the old columns, followed by the new ones. */
function isOrderAfterAdding(before: CatalogObject, after: CatalogObject): boolean {
  const [old, current] = [before.definition.split(", "), after.definition.split(", ")];
  const remaining = old.filter((column) => current.includes(column));
  const added = current.filter((column) => !old.includes(column));
  return [...remaining, ...added].join(", ") === after.definition;
}

const isReplacedInPlace = (before: CatalogObject, after: CatalogObject) =>
  // A trigger on a table of the platform's can be replaced by a hosted project's role, and not dropped.
  before.kind === "trigger" ||
  (before.kind === "function" && signature(before) === signature(after));

/** What `create or replace function` cannot change: everything before the language. */
const signature = ({ definition }: CatalogObject) => definition.split("\n LANGUAGE ")[0];

const oneLine = (definition: string) => definition.replace(/\s+/g, " ").slice(0, 400);
