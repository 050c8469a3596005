import { createPostgresConnection, type PostgresConnection } from "@supabase/lite/postgres";

import {
  type Engine,
  numericAsJson,
  type Row,
  type Statements,
  timestampAsJson,
  TYPE,
} from "./engine";

import {
  type DataApiConfig,
  makeOpening,
  newDataApiConfig,
  readDataApiConfig,
} from "./joined-opening";

/** As in a hosted project. */
const DEFAULT_STATEMENT_LIMIT_MS = 8_000;
const DEFAULT_CONNECTIONS = 10;

/**
 * The stand-in passes JSON as text, as it does to PGlite. Serializing it again would make it a JSON
 * string, and a function that takes a list would not get one.
 */
const json = {
  serialize: (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)),
  parse: (text: string) => JSON.parse(text) as unknown,
};

const timestampAsText = (value: unknown) =>
  value instanceof Date ? value.toISOString() : String(value);

export interface PostgresDatabase {
  /** The user must be a superuser. As in libpq, `?host=/folder` names the folder of the server's socket. */
  url: string;
  /** How many connections are used at most; left out, ten. */
  connections?: number;
  /** How long a statement may take; left out, as long as in a hosted project. */
  statementLimitMs?: number;
}

/** Opens a database on a Postgres server (15 or newer). */
export async function openPostgres(database: PostgresDatabase): Promise<Engine> {
  const url = new URL(database.url);
  const socketFolder = url.searchParams.get("host");
  url.searchParams.delete("host");
  const connection = createPostgresConnection({
    url: url.href,
    postgresOptions: {
      ...(socketFolder !== null && { host: socketFolder }),
      max: database.connections ?? DEFAULT_CONNECTIONS,
      onnotice: () => undefined,
      connection: {
        statement_timeout: database.statementLimitMs ?? DEFAULT_STATEMENT_LIMIT_MS,
        search_path: '"$user", public, extensions',
      },
      types: {
        timestamp: {
          to: TYPE.timestamp,
          from: [TYPE.timestamp],
          serialize: timestampAsText,
          parse: timestampAsJson,
        },
        timestamptz: {
          to: TYPE.timestamptz,
          from: [TYPE.timestamptz],
          serialize: timestampAsText,
          parse: timestampAsJson,
        },
        json: { to: TYPE.json, from: [TYPE.json], ...json },
        jsonb: { to: TYPE.jsonb, from: [TYPE.jsonb], ...json },
        numeric: {
          to: TYPE.numeric,
          from: [TYPE.numeric],
          serialize: String,
          parse: numericAsJson,
        },
      },
    },
  });
  const driver = connection.driver;
  const config = newDataApiConfig();
  joinOpenings(driver, config);

  const statementsOn = (sql: Pick<typeof driver, "unsafe">): Statements => ({
    async query(text, params = []) {
      const rows = await sql.unsafe<Row[]>(text, params as never[]);
      return rows.map((row) => ({ ...row }));
    },
    async script(text) {
      await sql.unsafe(text);
    },
  });

  const statements = statementsOn(driver);
  return {
    kind: "postgres",
    connection,
    concurrent: true,
    ...statements,
    reloadConfig: () => readDataApiConfig(config, (text) => statements.query(text)),
    async transaction<Result>(work: (statements: Statements) => Promise<Result>) {
      // A migration may take longer than a request.
      return (await driver.begin(async (sql) => {
        await sql.unsafe("set local statement_timeout = 0");
        return work(statementsOn(sql));
      })) as Result;
    },
    async close() {
      await driver.end({ timeout: 5 });
    },
  };
}

/**
 * Sends the opening of a transaction with its first statement, on each connection that the data API reserves. The
 * statements of requests are prepared once for each connection and role, as those of the hosted data API are.
 */
function joinOpenings(driver: PostgresConnection["driver"], config: DataApiConfig): void {
  const reserve = driver.reserve.bind(driver);
  driver.reserve = async () => {
    const reserved = await reserve();
    const unsafe = reserved.unsafe.bind(reserved);
    const opening = makeOpening(config);
    const send = (text: string, params: never[]) =>
      params.length > 0
        ? // A statement that was prepared before the schema changed may return other columns now.
          unsafe(`${text} /* ${opening.role()} ${config.version} */`, params, { prepare: true })
        : unsafe(text, params);
    const joined = (text: string, params: never[] = []) => {
      if (opening.add(text, params)) return Promise.resolve(NOTHING);
      const first = opening.take();
      if (!first) return send(text, params);
      // Without waiting in between. When the first fails, the second does, too, and says less.
      const [opened, done] = [unsafe(first).execute(), send(text, params).execute()];
      return Promise.all([opened, done]).then(([, rows]) => rows);
    };
    reserved.unsafe = joined as unknown as typeof reserved.unsafe;
    return reserved;
  };
}

const NOTHING = Object.assign([], { command: "SELECT", count: 0 });
