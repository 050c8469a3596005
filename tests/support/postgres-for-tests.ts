/**
 * Runs once before all files of the route, database, and fault tests: starts a real Postgres whose
 * template has the schema. Each world is a copy of it, in about 0.1 s, with connections that overlap
 * as they do in production. (PGlite, which `npm start` uses, is tested by local and visual.)
 */
import { startLocalSupabase } from "../../local/supabase";

import { startPostgres } from "./postgres";

export const TEMPLATE = "template_schema";

/** @returns what ends it after the last file */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // `npm run mutate` brings one of its own.
  if (process.env["TEST_POSTGRES"]) return undefined;
  const postgres = await startPostgresWithTemplate();
  process.env["TEST_POSTGRES"] = postgres.url;
  process.env["TEST_POSTGRES_SOCKET"] = postgres.socketFolder ?? "";
  process.env["TEST_TEMPLATE"] = TEMPLATE;
  return () => postgres.stop();
}

/** Starts a Postgres with the database TEMPLATE, which has the schema and no data. */
export async function startPostgresWithTemplate() {
  const postgres = await startPostgres({ settings: { max_connections: "200" }, inMemory: true });
  const url = await postgres.createDatabase({ name: TEMPLATE, characters: LETTERS });
  const supabase = await startLocalSupabase({
    engine: { kind: "postgres", url },
    siteUrl: "http://dashboard.test",
  });
  await supabase.stop();
  return postgres;
}

/** A locale in which "ō" is a letter, as in a hosted project. */
const LETTERS = process.platform === "darwin" ? "en_US.UTF-8" : "C.UTF-8";
