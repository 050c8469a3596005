import { overSocket, startPostgres } from "../support/postgres";
import { startApp } from "../support/running-app";

import { VISITOR_HEADER } from "./journey";

/**
 * Runs once before all journeys: starts the built product as `npm start` does, with data of its own, over a
 * real Postgres, which answers requests that overlap and takes less time than PGlite.
 * With E2E_ENGINE=pglite it has no database server, as on the machine of someone who tries it out.
 */
export default function startBeforeAll() {
  return startForJourneys();
}

/** @param settings more variables of the app, such as an address at which something else listens. @returns what stops it */
export async function startForJourneys(
  settings: Record<string, string> = {},
): Promise<() => Promise<void>> {
  const postgres =
    process.env["E2E_ENGINE"] === "pglite" ? undefined : await startPostgres({ inMemory: true });
  const app = await startApp({
    TRUSTED_IP_HEADER: VISITOR_HEADER,
    // Hashing passwords slowly protects accounts, and the journeys sign in a hundred times.
    LITE_AUTH_BCRYPT_COST: "4",
    ...(postgres && {
      DATABASE_URL: overSocket(await postgres.createDatabase(), postgres.socketFolder),
    }),
    ...settings,
  });
  process.env["E2E_APP_URL"] = settings["APP_URL"] ?? app.url;
  process.env["E2E_APP_PORT"] = new URL(app.url).port;
  process.env["E2E_SUPABASE_URL"] = app.supabaseUrl;
  process.env["E2E_PUBLISHABLE_KEY"] = app.publishableKey;
  process.env["E2E_SECRET_KEY"] = app.secretKey;
  return async () => {
    await app.stop();
    await postgres?.stop();
  };
}
