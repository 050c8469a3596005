type Sql = (query: string, params?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Databases that have the function that plans queries. */
const prepared = new WeakMap<Sql, Promise<unknown>>();

const prepare = (sql: Sql) =>
  sql(
    `create or replace function public.plans_of(queries text[], asked_by text) returns json[] language plpgsql as $$
     declare
       query text;
       plan json;
       plans json[];
     begin
       perform set_config('role', asked_by, true);
       foreach query in array queries loop
         execute 'explain (format json) ' || query into plan;
         plans := plans || plan;
       end loop;
       return plans;
     end $$`,
  );

/**
 * How many rows the planner expects of each of these, asked by a user or a visitor: what a planned count
 * would answer.
 * @param sources what follows `select from`
 */
export async function plannedRows(
  sql: Sql,
  sources: readonly string[],
  role: "authenticated" | "anon" = "authenticated",
): Promise<number[]> {
  if (!prepared.has(sql)) prepared.set(sql, prepare(sql));
  await prepared.get(sql);
  const found = await sql(
    `select (plan #>> '{0,Plan,Plan Rows}')::int as rows
     from unnest(public.plans_of(array(select jsonb_array_elements_text($1::jsonb)), $2)) plan`,
    [JSON.stringify(sources.map((source) => `select from ${source}`)), role],
  );
  return found.map(({ rows }) => rows as number);
}
