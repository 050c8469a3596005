import { startPostgres } from "../support/postgres";
import { startApp } from "../support/running-app";

import { VISITOR_HEADER } from "./journey";

/**
 * Runs once before all journeys: starts the built product as `npm start` does, with data of its own.
 * With E2E_ENGINE=postgres it runs over a real Postgres.
 */
export default async function startBeforeAll() {
  const postgres = process.env["E2E_ENGINE"] === "postgres" ? await startPostgres() : undefined;
  const app = await startApp({
    TRUSTED_IP_HEADER: VISITOR_HEADER,
    // Hashing passwords slowly protects accounts, and the journeys sign in a hundred times.
    LITE_AUTH_BCRYPT_COST: "4",
    ...(postgres && { DATABASE_URL: await postgres.createDatabase() }),
  });
  process.env["E2E_APP_URL"] = app.url;
  process.env["E2E_SUPABASE_URL"] = app.supabaseUrl;
  process.env["E2E_PUBLISHABLE_KEY"] = app.publishableKey;
  process.env["E2E_SECRET_KEY"] = app.secretKey;
  return async () => {
    await app.stop();
    await postgres?.stop();
  };
}
