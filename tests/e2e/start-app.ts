import { startApp } from "../support/running-app";

/** Before all journeys: the built product, started as `npm start` does, with data of its own. */
export default async function startBeforeAll() {
  const app = await startApp();
  process.env["E2E_APP_URL"] = app.url;
  process.env["E2E_SUPABASE_URL"] = app.supabaseUrl;
  process.env["E2E_PUBLISHABLE_KEY"] = app.publishableKey;
  return () => app.stop();
}
