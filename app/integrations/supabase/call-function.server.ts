import type { z } from "zod";

import type { Db } from "./clients.server";
import { DataError, unwrap } from "./data.server";
import type { Database } from "./database.types";

type Functions = Database["public"]["Functions"];

/** The arguments of a function; null, too, where SQL has a default or accepts it. */
type Arguments<Name extends keyof Functions> = {
  [Key in keyof Functions[Name]["Args"]]: Functions[Name]["Args"][Key] | null;
};

/**
 * Calls a database function and checks its result against the schema, so that a change of the
 * function in SQL fails here, in every test that calls it, and not later on a page.
 * @param result what the function returns; properties it does not name are dropped
 * @param signal ends the call before its limit
 * @throws DataError when the call failed; `unknown` when the result does not match the schema
 */
export async function callFunction<Name extends keyof Functions, Result extends z.ZodType>(
  db: Db,
  name: Name,
  args: Arguments<Name>,
  result: Result,
  signal?: AbortSignal,
): Promise<z.output<Result>> {
  const call = db.rpc(name, args);
  const answer = await (signal ? call.abortSignal(signal) : call);
  if (answer.error) unwrap(answer);
  const parsed = result.safeParse(answer.data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new DataError(
    "unknown",
    `${name}() returned something else at ${issue?.path.join(".") || "the top"}: ${issue?.message}`,
    "RESULT",
  );
}
