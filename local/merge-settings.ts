import type { PGlite } from "@electric-sql/pglite";

/** How the data API announces a request to Postgres: role, claims, headers, one statement each. */
const SETTING = /^SELECT set_config\('(?<name>[\w.]+)', (?:\$1|''), true\)$/;

const NOTHING = { rows: [], fields: [], affectedRows: 0 };

/**
 * Sends the opening of each transaction of the data API to PGlite at once. The stand-in begins a
 * transaction and makes ten settings in a statement of their own each, and every statement costs six
 * calls into WebAssembly: together more than the statement that the request is about. So BEGIN and
 * settings wait here for the first other statement. Transactions must not overlap.
 */
export function mergeSettings(driver: PGlite): void {
  const query = driver.query.bind(driver);
  let waiting: string[] = [];

  driver.query = async (text, params, options) => {
    const statement = text.trim();
    if (statement === "BEGIN") {
      waiting = ["BEGIN"];
      return NOTHING;
    }
    const setting = SETTING.exec(statement)?.groups;
    if (setting && waiting.length > 0) {
      const value = String(params?.[0] ?? "").replaceAll("'", "''");
      waiting.push(`select set_config('${setting["name"]}', '${value}', true)`);
      return NOTHING;
    }
    if (waiting.length > 0) {
      const opening = waiting.join(";");
      waiting = [];
      await driver.exec(opening);
    }
    if (statement === "COMMIT" || statement === "ROLLBACK") {
      await driver.exec(statement);
      return NOTHING;
    }
    return query(text, params, options);
  };
}
