/** The settings that name a hosted project, where there is none. An app starts with them and its APP_URL. */
export const HOSTED_SETTINGS = {
  SESSION_SECRET: "a secret for tests, of 32 and more characters",
  SUPABASE_URL: "http://127.0.0.1:9",
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_for_tests",
  SUPABASE_SECRET_KEY: "sb_secret_for_tests",
};
