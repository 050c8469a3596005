import { startPostgres } from "../support/postgres";
import { startApp } from "../support/running-app";

import { VISITOR_HEADER } from "./journey";

/**
 * Before all journeys: the built product, started as `npm start` does, with data of its own; over a
 * real Postgres when E2E_ENGINE says so.
 */
export default async function startBeforeAll() {
  const postgres = process.env["E2E_ENGINE"] === "postgres" ? await startPostgres() : undefined;
  const app = await startApp({
    TRUSTED_IP_HEADER: VISITOR_HEADER,
    ...(postgres && { DATABASE_URL: await postgres.createDatabase() }),
  });
  process.env["E2E_APP_URL"] = app.url;
  process.env["E2E_SUPABASE_URL"] = app.supabaseUrl;
  process.env["E2E_PUBLISHABLE_KEY"] = app.publishableKey;
  return async () => {
    await app.stop();
    await postgres?.stop();
  };
}
