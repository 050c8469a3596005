import type { Sql } from "postgres";

/** Counting a visit or an attempt changes these, and nothing that is anyone's. */
const COUNTERS = ["place_stats", "private.counters", "rate_limits", "audit_log"];

/** Every row that does not name this user, as a hash, by table. */
export async function rowsOfOthers(db: Sql, userId: string): Promise<Map<string, string[]>> {
  const tables = await db`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'r'`;
  const query = tables
    .map(({ name }) => String(name))
    .filter((name) => !COUNTERS.includes(name))
    .map(
      (name) => `select '${name}' as name, coalesce(array_agg(md5(to_jsonb(r)::text))
        filter (where to_jsonb(r)::text not like '%${userId}%'), '{}') as rows from ${name} r`,
    )
    .join(" union all ");
  const found = await db.unsafe(query);
  return new Map(found.map((row) => [String(row["name"]), row["rows"] as string[]]));
}

/** The tables in which a row of others was changed or removed since. */
export async function lostRows(
  db: Sql,
  userId: string,
  before: Map<string, string[]>,
): Promise<string[]> {
  const after = await rowsOfOthers(db, userId);
  return [...before]
    .filter(([name, rows]) => {
      const present = new Set(after.get(name));
      return rows.some((row) => !present.has(row));
    })
    .map(([name]) => name);
}
