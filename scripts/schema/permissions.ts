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

/**
 * Where a role may use a verb only on some columns of a table: which it may use, or which it may
 * not, whichever are fewer.
 */
const COLUMNS = `
  with columns as (
    select r.role, c.relname as name, v.position, v.verb,
      array_agg(a.attname::text order by a.attname collate "C")
        filter (where has_column_privilege(r.role, c.oid, a.attnum, v.verb)) as granted,
      array_agg(a.attname::text order by a.attname collate "C")
        filter (where not has_column_privilege(r.role, c.oid, a.attnum, v.verb)) as refused
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    cross join (values (1, 'select'), (2, 'insert'), (3, 'update')) v (position, verb)
    cross join unnest(array['anon', 'authenticated']) r (role)
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and not has_table_privilege(r.role, c.oid, v.verb)
    group by 1, 2, 3, 4)
  select role, name, verb, granted, refused from columns where granted is not null
  order by role collate "C", name collate "C", position`;

/** Functions of a schema that a role may call and another may not; of those in private, the ones with their owner's rights. */
const FUNCTIONS = `
  select string_agg(distinct p.proname, ', ' order by p.proname) as names from pg_proc p
  where p.pronamespace = $1::text::regnamespace and (p.prosecdef or $1 = 'public') and has_function_privilege($2, p.oid, 'execute')
    and ($3::text is null or not has_function_privilege($3, p.oid, 'execute'))`;

const PRIVATE_TABLES = `
  select string_agg(distinct c.relname, ', ' order by c.relname) as names from pg_class c
  where c.relnamespace = 'private'::regnamespace and c.relkind in ('r', 'v')
    and (has_any_column_privilege($1, c.oid, 'select, insert, update') or has_table_privilege($1, c.oid, 'delete'))`;

const ROLES: Record<string, string> = { anon: "visitors", authenticated: "users" };
const VERBS: Record<string, string> = { select: "read", insert: "add", update: "change" };

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
  const columns = (await query(COLUMNS)).map(({ role, name, verb, granted, refused }) => {
    const [given, kept] = [granted as string[], refused as string[]];
    const which =
      given.length > kept.length ? `all but ${kept.join(", ")}` : `only ${given.join(", ")}`;
    return `- \`${String(name)}\`: ${ROLES[String(role)]} ${VERBS[String(verb)]} ${which}`;
  });
  const names = async (statement: string, ...params: (string | null)[]) =>
    ((await query(statement, params))[0]?.["names"] as string | null) ?? "none";
  return [
    ...table,
    "",
    "Of these tables, not every column:",
    "",
    ...columns,
    "",
    `Functions that users may call; each checks for itself who is asking: ${await names(FUNCTIONS, "public", "authenticated", null)}.`,
    "",
    `Functions that only the server's secret key may call: ${await names(FUNCTIONS, "public", "service_role", "authenticated")}.`,
    "",
    `Functions that visitors may call: ${await names(FUNCTIONS, "public", "anon", null)}.`,
    "",
    "The schema `private` is not served. This is what the functions, views, and policies above need of it:",
    "",
    `- functions with their owner's rights, for users; each checks the caller: ${await names(FUNCTIONS, "private", "authenticated", "anon")}`,
    `- for visitors, too; they tell policies that no one is asking: ${await names(FUNCTIONS, "private", "anon", null)}`,
    `- tables and views, for users: ${await names(PRIVATE_TABLES, "authenticated")}; for visitors: ${await names(PRIVATE_TABLES, "anon")}`,
  ].join("\n");
}

/** A document with the part between its markers replaced. */
export function withPermissions(document: string, permissions: string): string {
  return document.replace(
    /(<!-- generated: npm run security:table -->\n)[^]*?(<!-- \/generated -->)/,
    (_, start: string, end: string) => `${start}\n${permissions}\n\n${end}`,
  );
}
