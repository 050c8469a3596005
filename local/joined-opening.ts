import { requestToDataApi } from "./request-context";

/** How the data API announces a request to Postgres: role, claims, headers, one statement each. */
const SETTING = /^SELECT set_config\('(?<name>[\w.]+)', (?:\$1|''), true\)$/;

/**
 * Calls the function that the setting `pgrst.db_pre_request` names, as the hosted data API does: in the
 * transaction of the request, after the role was switched. Whatever it raises is the answer.
 */
const PRE_REQUEST = `do $$
declare
  pre_request text := (select substr(s, length('pgrst.db_pre_request=') + 1)
    from pg_catalog.pg_db_role_setting r join pg_catalog.pg_roles o on o.oid = r.setrole, unnest(r.setconfig) s
    where o.rolname = 'authenticator' and r.setdatabase = 0 and starts_with(s, 'pgrst.db_pre_request='));
begin
  if pre_request <> '' then
    execute format('select %s()', pre_request);
  end if;
end $$`;

/** The beginning of a transaction that waits to be sent, on one connection. */
interface Opening {
  /** True when this statement belongs to the opening. It waits then, and its result is empty. */
  add(statement: string, params?: readonly unknown[]): boolean;
  /** What has to run before any other statement; empty when nothing waits. */
  take(): string;
}

/**
 * Joins the opening of each transaction of the data API. The stand-in begins a transaction and makes
 * ten settings, in a statement of their own each; together these take longer than the statement that
 * the request is about. So BEGIN and settings wait for the first other statement. What the hosted data
 * API does first and the stand-in does not (all headers, the pre-request function) joins them.
 */
export function makeOpening(): Opening {
  let waiting: string[] = [];
  let hasRole = false;
  const set = (name: string, value: string) =>
    waiting.push(`select set_config('${name}', '${value.replaceAll("'", "''")}', true)`);
  return {
    add(text, params) {
      const statement = text.trim();
      if (/^begin$/i.test(statement)) {
        waiting = ["begin"];
        hasRole = false;
        return true;
      }
      const name = waiting.length > 0 ? SETTING.exec(statement)?.groups?.["name"] : undefined;
      if (name === undefined) return false;
      if (name === "role") hasRole = true;
      set(name, (params?.[0] ?? "") as string);
      return true;
    },
    take() {
      const request = requestToDataApi();
      if (request && hasRole) {
        set("request.headers", JSON.stringify(Object.fromEntries(request.headers)));
        waiting.push(PRE_REQUEST);
      }
      const opening = waiting.join(";");
      waiting = [];
      hasRole = false;
      return opening;
    },
  };
}
