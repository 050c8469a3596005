import { ask, NoAnswer, type Answer } from "./ask";
import { findSupabasePage, type Check, type Config, type Context } from "./context";
import { byHand, fine, wrong, type Finding } from "./finding";

type KeyName = "SUPABASE_PUBLISHABLE_KEY" | "SUPABASE_SECRET_KEY";

/** A request to the data API, as supabase-js sends it. @throws NoAnswer */
export function askDataApi(
  { supabaseUrl }: Config,
  key: string,
  path: string,
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return ask(`${supabaseUrl}/rest/v1/${path}`, {
    ...init,
    headers: {
      apikey: key,
      Authorization: `Bearer ${key}`,
      ...(init.body === undefined ? {} : { "Content-Type": "application/json" }),
      ...init.headers,
    },
  });
}

/** Calls that each key must be allowed. Neither changes anything: no such attempt was ever counted. */
const PROBES: Readonly<Record<KeyName, (config: Config) => Promise<Answer>>> = {
  SUPABASE_PUBLISHABLE_KEY: (config) =>
    askDataApi(config, config.supabasePublishableKey, "categories?select=id&limit=1"),
  SUPABASE_SECRET_KEY: (config) =>
    askDataApi(config, config.supabaseSecretKey, "rpc/return_rate_token", {
      method: "POST",
      body: JSON.stringify({ bucket: "doctor" }),
    }),
};

const EFFECTS: Readonly<Record<KeyName, string>> = {
  SUPABASE_PUBLISHABLE_KEY: "No one can sign in, and no page has data.",
  SUPABASE_SECRET_KEY: "The dashboard does not start: limits, emails, and payments need this key.",
};

/** The project that an older key names in itself; null for a new key. */
function readProject(key: string): string | null {
  const [, payload] = key.split(".");
  try {
    const { ref } = JSON.parse(Buffer.from(payload ?? "", "base64url").toString()) as {
      ref?: unknown;
    };
    return typeof ref === "string" ? ref : null;
  } catch {
    return null;
  }
}

async function checkKey(config: Config, name: KeyName): Promise<Finding[]> {
  const key =
    name === "SUPABASE_SECRET_KEY" ? config.supabaseSecretKey : config.supabasePublishableKey;
  const page = findSupabasePage(config, "settings/api-keys");
  const { status, json, headers } = await PROBES[name](config);
  if (status === 401 || status === 403) {
    const [host, project] = [new URL(config.supabaseUrl).hostname, readProject(key)];
    const other = project && !host.startsWith(`${project}.`) ? `: it is of ${project}` : "";
    return [
      wrong(
        `${name} is not accepted by the project at ${host}${other}`,
        EFFECTS[name],
        `Copy the key from ${page}`,
      ),
    ];
  }
  if (status >= 500) throw new NoAnswer(`answers ${status}`);
  // An error of the data API is JSON, too: what the database lacks is named by the line about its migrations.
  const isDataApi =
    status === 204 || (json !== undefined && /json/.test(headers.get("Content-Type") ?? ""));
  if (!isDataApi || (status < 400 && name === "SUPABASE_PUBLISHABLE_KEY" && !Array.isArray(json)))
    throw new NoAnswer(`answers ${status}, but that isn’t Supabase’s answer`);
  const isOld = !key.startsWith("sb_");
  return [
    fine(`${name} is accepted`),
    ...(isOld
      ? [
          byHand(
            `${name} is one of the older keys, which Supabase is retiring. ${name === "SUPABASE_SECRET_KEY" ? "With it, all visitors share one address at the auth service, and its limits." : "Replace it before then."}`,
            page,
          ),
        ]
      : []),
  ];
}

/** The two keys, each by a call that it must be allowed. */
export const supabaseKeys: Check = {
  title: "Supabase: keys",
  async run({ config }: Context) {
    try {
      const names = Object.keys(PROBES) as KeyName[];
      return (await Promise.all(names.map((name) => checkKey(config, name)))).flat();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return [
        wrong(
          `${new URL(config.supabaseUrl).host} ${error.message}`,
          "No page has data, and no one can sign in.",
          `Check SUPABASE_URL, whether the project is paused (${findSupabasePage(config, "")}), and https://status.supabase.com`,
        ),
      ];
    }
  },
};
