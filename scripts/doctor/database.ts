import { compareMigrations } from "~/integrations/supabase/migrations.server";

import { NoAnswer } from "./ask";
import { findSupabasePage, type Check, type Config } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";
import { askDataApi } from "./supabase-keys";

const PUSH = "supabase db push --remote";
/** Supabase's own for GraphQL has the same tables with the same rules. */
const HARMLESS_SCHEMAS = new Set(["public", "graphql_public"]);
const MAX_NAMED = 5;

/** The first few of many. */
function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

/** What a function for the secret key returns; null when the database does not have it. */
async function callFunction(config: Config, name: string): Promise<string[] | null> {
  const { status, json } = await askDataApi(config, config.supabaseSecretKey, `rpc/${name}`, {
    method: "POST",
    body: "{}",
  });
  if (status === 404) return null;
  if (status !== 200 || !Array.isArray(json)) throw new NoAnswer(`answers ${status} to ${name}`);
  return json.map(String);
}

async function checkMigrations(config: Config): Promise<Finding[]> {
  const installed = await callFunction(config, "installed_migrations");
  if (installed === null)
    return [
      wrong(
        "The database is older than this code, or has none of its migrations",
        "Pages and emails that need the newer tables fail.",
        PUSH,
      ),
    ];
  const { expected, missing, unknown } = compareMigrations(installed);
  const findings: Finding[] = [];
  if (missing.length > 0)
    findings.push(
      wrong(
        `The database is older than this code: it lacks ${missing.length === 1 ? "the migration" : `${missing.length} migrations,`} ${listNames(missing)}`,
        "Pages and emails that need them fail.",
        PUSH,
      ),
    );
  if (unknown.length > 0)
    findings.push(
      wrong(
        `The database is newer than this code, which does not know the migration${unknown.length === 1 ? "" : "s"} ${listNames(unknown)}`,
        "This code may write what the newer schema refuses.",
        "Deploy the code that these migrations belong to.",
      ),
    );
  return findings.length > 0 ? findings : [fine(`All ${expected.length} migrations are installed`)];
}

async function checkRowSecurity(config: Config): Promise<Finding[]> {
  const open = await callFunction(config, "unprotected_relations");
  // Of an older database, which the line about migrations names.
  if (open === null) return [byHand("Row level security could not be checked.", PUSH)];
  return [
    open.length > 0
      ? wrong(
          `Without row level security: ${listNames(open)}`,
          "People can read or change rows that aren’t about them.",
          `For each table: alter table … enable row level security; for each view: security_invoker = on.`,
        )
      : fine("Row level security is on for every table"),
  ];
}

async function checkExposedSchemas(config: Config): Promise<Finding[]> {
  const page = findSupabasePage(config, "settings/api");
  const { status, json } = await askDataApi(
    config,
    config.supabasePublishableKey,
    "settings?limit=1",
    { headers: { "Accept-Profile": "private" } },
  );
  const answer = (json ?? {}) as { code?: string; message?: string; hint?: string | null };
  if (answer.code !== "PGRST106") {
    if (status >= 500) throw new NoAnswer(`answers ${status}`);
    if (status === 401 && answer.code === undefined)
      return [byHand("Exposed schemas could not be checked: the key is not accepted.", page)];
    return [
      wrong(
        "The schema private is exposed by the data API",
        "Anyone can try to call or read what is meant for the database alone.",
        `Remove it from the exposed schemas: ${page}`,
      ),
    ];
  }
  // Older versions name the schemas in the message, newer ones in the hint.
  const named = /(?:following|exposed): (.+)$/.exec(answer.hint ?? answer.message ?? "")?.[1];
  const others = (named ?? "").split(/,\s*/).filter((name) => name && !HARMLESS_SCHEMAS.has(name));
  return [
    others.length > 0
      ? wrong(
          `The data API exposes more than the schema public: ${listNames(others)}`,
          "Anyone can try to call or read what is in there.",
          `Expose only public: ${page}`,
        )
      : fine("The data API exposes only the schema public"),
  ];
}

/** The database behind the data API: its migrations, its row level security, and what is exposed. */
export const database: Check = {
  title: "Supabase: database",
  async run({ config }) {
    const checks = [checkMigrations, checkRowSecurity, checkExposedSchemas];
    const findings = await Promise.all(
      checks.map((check) =>
        check(config).catch((error: unknown) => {
          if (!(error instanceof NoAnswer)) throw error;
          return [];
        }),
      ),
    );
    const found = findings.flat();
    if (found.length > 0) return found;
    return [byHand("The database could not be checked: see the keys above.", "npm run doctor")];
  },
};
