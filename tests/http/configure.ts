/** A configuration for tests of the http folder. There is no Supabase at its URL. */
export const APP_URL = "https://dashboard.test";

/** Sets the environment. Import modules that read it afterward. */
export function configure(changes: Record<string, string> = {}) {
  Object.assign(process.env, {
    APP_URL,
    SESSION_SECRET: "a secret for tests, of 32 and more characters",
    SUPABASE_URL: "http://127.0.0.1:9",
    SUPABASE_PUBLISHABLE_KEY: "sb_publishable_for_tests",
    SUPABASE_SECRET_KEY: "sb_secret_for_tests",
    ...changes,
  });
}
