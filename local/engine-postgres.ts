import { createPostgresConnection } from "@supabase/lite/postgres";

import {
  type Engine,
  numericAsJson,
  type Row,
  type Statements,
  timestampAsJson,
  TYPE,
} from "./engine";

const STATEMENT_TIMEOUT_MS = 8_000;
const MAX_CONNECTIONS = 10;

/**
 * The stand-in passes JSON as text, as it does to PGlite. Serializing it again would make it a JSON
 * string, and a function that takes a list would not get one.
 */
const json = {
  serialize: (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)),
  parse: (text: string) => JSON.parse(text) as unknown,
};

/** Opens a database on a Postgres server (15 or newer). The user in the URL must be a superuser. */
export async function openPostgres(url: string): Promise<Engine> {
  const connection = createPostgresConnection({
    url,
    postgresOptions: {
      max: MAX_CONNECTIONS,
      onnotice: () => undefined,
      connection: {
        statement_timeout: STATEMENT_TIMEOUT_MS,
        search_path: '"$user", public, extensions',
      },
      types: {
        timestamp: {
          to: TYPE.timestamp,
          from: [TYPE.timestamp],
          serialize: String,
          parse: timestampAsJson,
        },
        timestamptz: {
          to: TYPE.timestamptz,
          from: [TYPE.timestamptz],
          serialize: String,
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

  const statementsOn = (sql: Pick<typeof driver, "unsafe">): Statements => ({
    async query(text, params = []) {
      const rows = await sql.unsafe<Row[]>(text, params as never[]);
      return rows.map((row) => ({ ...row }));
    },
    async script(text) {
      await sql.unsafe(text);
    },
  });

  return {
    kind: "postgres",
    connection,
    concurrent: true,
    ...statementsOn(driver),
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
