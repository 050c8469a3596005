type Sql = (query: string, params?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * How many rows the planner expects of a query by a user: what a planned count would answer.
 * @param from what follows `select from`
 */
export async function plannedRows(sql: Sql, from: string): Promise<number> {
  await sql(
    `create or replace function public.plan_of(query text) returns json language plpgsql as $$
     declare plan json;
     begin
       set local role authenticated;
       execute 'explain (format json) ' || query into plan;
       return plan;
     end $$`,
  );
  const [found] = await sql("select (public.plan_of($1) #>> '{0,Plan,Plan Rows}')::int as rows", [
    `select from ${from}`,
  ]);
  return found!["rows"] as number;
}
