import type { Engine, Row } from "./engine";
import { requestToDataApi } from "./request-context";

/** How the data API announces a request to Postgres: role, claims, headers. */
type Settings = readonly (readonly [name: string, value: string])[];

/** One of the settings, as the stand-in makes them itself. */
const SETTING = /^SELECT set_config\('(?<name>[\w.]+)', (?:\$1|''), true\)$/;

/** Stands for settings, which follow it as JSON. Never sent: `add` takes it. */
const SETTINGS = "settings ";

/** What the data API reads of the database when it starts, and again when it is told to. */
export interface DataApiConfig {
  /** The function that is called before each request; empty for none. */
  preRequest: string;
  /** The functions that only read: stable, or immutable. */
  reading: ReadonlySet<string>;
  /** How often it was read: statements that were planned before may no longer fit the schema. */
  version: number;
}

export const newDataApiConfig = (): DataApiConfig => ({
  preRequest: "",
  reading: new Set(),
  version: 0,
});

/** Reads the configuration again, as the hosted data API does at `notify pgrst, 'reload config'`. */
export async function readDataApiConfig(
  config: DataApiConfig,
  query: (text: string) => Promise<Row[]>,
): Promise<void> {
  const [row] = await query(
    `select substr(s, length('pgrst.db_pre_request=') + 1) as name
     from pg_catalog.pg_db_role_setting r join pg_catalog.pg_roles o on o.oid = r.setrole, unnest(r.setconfig) s
     where o.rolname = 'authenticator' and r.setdatabase = 0 and starts_with(s, 'pgrst.db_pre_request=')`,
  );
  config.preRequest = typeof row?.["name"] === "string" ? row["name"] : "";
  const reading = await query(
    `select proname as name from pg_catalog.pg_proc where pronamespace = 'public'::regnamespace
     group by 1 having bool_and(provolatile <> 'v')`,
  );
  config.reading = new Set(reading.map((found) => String(found["name"])));
  config.version += 1;
}

/** Whether the hosted data API answers a request in a transaction that can't write. */
function isReadOnly({ method, url }: Request, { reading }: DataApiConfig): boolean {
  if (method === "GET" || method === "HEAD") return true;
  const [, name] = /\/rpc\/(\w+)$/.exec(new URL(url).pathname) ?? [];
  return name !== undefined && reading.has(name);
}

/** The beginning of a transaction that waits to be sent, on one connection. */
interface Opening {
  /** True when this statement belongs to the opening. It waits then, and its result is empty. */
  add(statement: string, params?: readonly unknown[]): boolean;
  /** What has to run before any other statement; empty when nothing waits. */
  take(): string;
  /** The role of the transaction of the data API that runs; empty outside of one. */
  role(): string;
}

/**
 * Joins the opening of each transaction of the data API. The stand-in begins a transaction and makes
 * ten settings; in statements of their own these take longer than the statement that the request is
 * about. So BEGIN and settings wait for the first other statement. What the hosted data API does first
 * and the stand-in does not joins them: all headers, and the function that is called before a request,
 * in the transaction of the request, after the role was switched. Whatever it raises is the answer. And
 * what only reads can't write: GET, and functions that say so.
 */
export function makeOpening(config: DataApiConfig): Opening {
  let waiting: (readonly [string, string])[] | undefined;
  let role = "";
  const settingsOf = (text: string, params?: readonly unknown[]): Settings | undefined => {
    if (text.startsWith(SETTINGS)) return JSON.parse(text.slice(SETTINGS.length)) as Settings;
    const name = SETTING.exec(text.trim())?.groups?.["name"];
    return name === undefined ? undefined : [[name, textOf(params?.[0])]];
  };
  return {
    add(text, params) {
      if (/^\s*begin\s*$/i.test(text)) {
        waiting = [];
        role = "";
        return true;
      }
      const settings = waiting && settingsOf(text, params);
      if (!settings) return false;
      role = settings.find(([name]) => name === "role")?.[1] ?? role;
      waiting!.push(...settings);
      return true;
    },
    take() {
      if (!waiting) return "";
      const request = requestToDataApi();
      const statements = [
        request && role && isReadOnly(request, config) ? "begin read only" : "begin",
      ];
      if (request && role)
        waiting.push(["request.headers", JSON.stringify(Object.fromEntries(request.headers))]);
      if (waiting.length > 0) statements.push(statementFor(waiting));
      if (request && role && config.preRequest) statements.push(`select ${config.preRequest}()`);
      waiting = undefined;
      return statements.join(";");
    },
    role: () => role,
  };
}

const statementFor = (settings: Settings) =>
  `select ${settings
    .map(([name, value]) => `set_config('${name}', '${value.replaceAll("'", "''")}', true)`)
    .join(", ")}`;

interface Executor {
  executeQuery(query: object): Promise<unknown>;
}
interface Context {
  auth?: { role?: string; uid?: unknown; jwt?: unknown };
  storage?: { operation?: unknown };
}
interface Call {
  method: string;
  path: string;
  requestHeaders?: object;
}
type Announcing = {
  applyJwtSessionContext(on: Executor, context: Context, ownRole: boolean): Promise<void>;
  applyRpcRequestGucs(on: Executor, call: Call): Promise<void>;
};

const ROLES = ["anon", "authenticated", "service_role"];

/**
 * Has the stand-in announce a request in one statement, as the hosted data API does, in place of one for each
 * setting: to build and run ten statements takes it longer than the statement that the request is about.
 */
export function announceAtOnce(connection: Engine["connection"]): void {
  const original = connection as unknown as Announcing;
  const withOwnRole = original.applyJwtSessionContext.bind(connection);
  const announce = async (on: Executor, settings: Settings) => {
    const sql = SETTINGS + JSON.stringify(settings);
    await on.executeQuery({ sql, parameters: [], query: { kind: "RawNode" } });
  };
  const announcing: Announcing = {
    async applyJwtSessionContext(on, context, ownRole) {
      const { role = "anon", uid, jwt } = context.auth ?? {};
      // A setting is enough for the three of every project.
      if (ownRole && !ROLES.includes(role)) return withOwnRole(on, context, ownRole);
      await announce(on, [
        ["role", role],
        ["request.jwt.claim.sub", textOf(uid)],
        ["request.jwt.claim.role", role],
        ["storage.operation", textOf(context.storage?.operation)],
        ...(jwt && typeof jwt === "object"
          ? [["request.jwt.claims", JSON.stringify(jwt)] as const]
          : []),
      ]);
    },
    async applyRpcRequestGucs(on, { method, path, requestHeaders }) {
      await announce(on, [
        ["response.status", ""],
        ["response.headers", ""],
        ["request.method", method],
        ["request.path", path],
        ["request.headers", JSON.stringify(requestHeaders ?? {})],
      ]);
    },
  };
  Object.assign(connection, announcing);
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");
