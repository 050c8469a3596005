import type { Statements } from "../../local/engine";

/** Whether a role may use a verb on a relation, on all columns or some. There is no delete on columns. */
const may = (role: string) => `
  case v.verb when 'delete' then has_table_privilege('${role}', c.oid, 'delete')
    else has_any_column_privilege('${role}', c.oid, v.verb) end`;

/** Privileges on tables and views that visitors (anon) and users (authenticated) have, with policies. */
const TABLES = `
  select c.relname as name, c.relkind = 'v' as view, v.verb,
    ${may("anon")} as visitors, ${may("authenticated")} as users,
    coalesce((select string_agg(distinct p.polname, '; ') from pg_policy p
      where p.polrelid = c.oid and p.polcmd in ('*', v.letter)
        and 'authenticated'::regrole = any (p.polroles)), '') as policies
  from pg_class c
  cross join (values (1, 'select', 'r'), (2, 'insert', 'a'), (3, 'update', 'w'), (4, 'delete', 'd')) v (position, verb, letter)
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
  order by c.relname collate "C", v.position`;

const FUNCTIONS = `
  select string_agg(distinct p.proname, ', ' order by p.proname) as names from pg_proc p
  where p.pronamespace = 'public'::regnamespace and has_function_privilege($1, p.oid, 'execute')
    and ($2::text is null or not has_function_privilege($2, p.oid, 'execute'))`;

/**
 * Who may see and do what through the data API, as Markdown: a row for each table and view with the
 * names of the policies that decide, and the functions that each role may call. From the catalog.
 */
export async function describePermissions(query: Statements["query"]): Promise<string> {
  const rows = await query(TABLES);
  const cells = new Map<string, string[]>();
  for (const { name, view, visitors, users, policies } of rows) {
    const who = visitors
      ? "everyone"
      : users
        ? view
          ? "users: what its tables let them"
          : `users: ${String(policies).replace(/^$/, "no row")}`
        : "–";
    cells.set(String(name), [...(cells.get(String(name)) ?? []), who]);
  }
  const table = [
    "| table or view | read | add | change | delete |",
    "| --- | --- | --- | --- | --- |",
    ...[...cells].map(([name, verbs]) => `| \`${name}\` | ${verbs.join(" | ")} |`),
  ];
  const names = async (role: string, without: string | null) =>
    ((await query(FUNCTIONS, [role, without]))[0]?.["names"] as string | null) ?? "none";
  return [
    ...table,
    "",
    `Functions that users may call; each checks for itself who is asking: ${await names("authenticated", null)}.`,
    "",
    `Functions that only the server's secret key may call: ${await names("service_role", "authenticated")}.`,
    "",
    `Functions that visitors may call: ${await names("anon", null)}.`,
  ].join("\n");
}

/** A document with the part between its markers replaced. */
export function withPermissions(document: string, permissions: string): string {
  return document.replace(
    /(<!-- generated: npm run security:table -->\n)[^]*?(<!-- \/generated -->)/,
    (_, start: string, end: string) => `${start}\n${permissions}\n\n${end}`,
  );
}
