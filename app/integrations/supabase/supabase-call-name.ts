/** What the data API does for each method, in SQL's words. */
const VERBS: Readonly<Record<string, string>> = {
  GET: "select",
  HEAD: "count",
  POST: "insert",
  PATCH: "update",
  PUT: "upsert",
  DELETE: "delete",
};
const API = /^.*?\/(rest|auth)\/v1\//;
const ID = /[0-9]/;

/**
 * The name of a call of Supabase for the log: `supabase rpc my_dashboard`, `supabase select places`,
 * `supabase auth token`. It has no id and nothing of the query.
 */
export function nameSupabaseCall(method: string, url: string): string {
  const path = new URL(url).pathname;
  const api = API.exec(path)?.[1];
  const parts = path.replace(API, "").split("/").filter(Boolean);
  if (api === "auth") return `supabase auth ${parts.filter((part) => !ID.test(part)).join(" ")}`;
  if (parts[0] === "rpc") return `supabase rpc ${parts[1] ?? ""}`;
  return `supabase ${VERBS[method] ?? method} ${parts[0] ?? ""}`;
}
