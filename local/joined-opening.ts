/** How the data API announces a request to Postgres: role, claims, headers, one statement each. */
const SETTING = /^SELECT set_config\('(?<name>[\w.]+)', (?:\$1|''), true\)$/;

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
 * the request is about. So BEGIN and settings wait for the first other statement.
 */
export function makeOpening(): Opening {
  let waiting: string[] = [];
  return {
    add(text, params) {
      const statement = text.trim();
      if (/^begin$/i.test(statement)) {
        waiting = ["begin"];
        return true;
      }
      const name = waiting.length > 0 ? SETTING.exec(statement)?.groups?.["name"] : undefined;
      if (name === undefined) return false;
      const value = ((params?.[0] ?? "") as string).replaceAll("'", "''");
      waiting.push(`select set_config('${name}', '${value}', true)`);
      return true;
    },
    take() {
      const opening = waiting.join(";");
      waiting = [];
      return opening;
    },
  };
}
