/**
 * The only reader of `process.env` in the app. Every value that the outside decides passes through
 * here, is checked once at boot, and is typed from then on. `.env.example` explains each name.
 */

const REQUIRED = [
  "APP_URL",
  "SESSION_SECRET",
  "SUPABASE_URL",
  "SUPABASE_PUBLISHABLE_KEY",
  "SUPABASE_SECRET_KEY",
] as const;

const MIN_SECRET_LENGTH = 32;
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];
const HEADER_NAME = /^[\w-]+$/;

export interface Env {
  /** Address people use, without a trailing slash: the base of every absolute link. */
  appUrl: string;
  appName: string;
  production: boolean;
  sessionSecret: string;
  supabaseUrl: string;
  supabasePublishableKey: string;
  supabaseSecretKey: string;
  /** Public page of a listing, with `{id}` where the listing's id goes. */
  directoryListingUrl: string | null;
  contactUrl: string | null;
  /** Looks addresses up at Google; without it the embedded gazetteer does. */
  googleMapsApiKey: string | null;
  /** Names of headers that a proxy under our control sets (and strips from clients). */
  trustedIpHeader: string | null;
  trustedCountryHeader: string | null;
  logLevel: string;
  /** Set only by the local start: the page that shows every e-mail "sent". */
  localMailboxUrl: string | null;
}

/** Raised when the configuration is missing or malformed; its message names every fault at once. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

/**
 * Reads and checks the configuration.
 * @param source environment variables by name
 * @returns the typed configuration
 * @throws ConfigurationError naming every missing or malformed variable
 */
export function readEnv(source: Record<string, string | undefined>): Env {
  const value = (name: string) => source[name]?.trim() || null;
  const faults: string[] = REQUIRED.filter((name) => !value(name)).map((name) => `${name} is missing`);

  const webAddress = (name: string, schemes = ["http:", "https:"]) => {
    const given = value(name);
    if (!given) return null;
    if (URL.canParse(given) && schemes.includes(new URL(given).protocol)) return given;
    faults.push(`${name} is not an address beginning with ${schemes.join(" or ")}`);
    return null;
  };

  const appUrl = webAddress("APP_URL");
  const supabaseUrl = webAddress("SUPABASE_URL");
  const directoryListingUrl = webAddress("DIRECTORY_LISTING_URL");
  const contactUrl = webAddress("CONTACT_URL", ["https:", "http:", "mailto:"]);
  const localMailboxUrl = webAddress("LOCAL_MAILBOX_URL");
  const sessionSecret = value("SESSION_SECRET") ?? "";
  if (sessionSecret && sessionSecret.length < MIN_SECRET_LENGTH) {
    faults.push(`SESSION_SECRET is shorter than ${MIN_SECRET_LENGTH} characters`);
  }
  if (appUrl && new URL(appUrl).pathname !== "/") faults.push("APP_URL has a path: the dashboard stands at the root of its address");
  // Supabase's newer keys say themselves which they are. With the secret one in both places, anybody would be an admin.
  const [publishableKey, secretKey] = [value("SUPABASE_PUBLISHABLE_KEY"), value("SUPABASE_SECRET_KEY")];
  if (publishableKey && (publishableKey === secretKey || publishableKey.startsWith("sb_secret_"))) {
    faults.push("SUPABASE_PUBLISHABLE_KEY holds a secret key");
  }
  if (secretKey?.startsWith("sb_publishable_")) faults.push("SUPABASE_SECRET_KEY holds a publishable key");
  for (const name of ["TRUSTED_IP_HEADER", "TRUSTED_COUNTRY_HEADER"]) {
    if (!HEADER_NAME.test(value(name) ?? "x")) faults.push(`${name} is not the name of a header`);
  }
  const logLevel = value("LOG_LEVEL") ?? "info";
  if (!LOG_LEVELS.includes(logLevel)) faults.push(`LOG_LEVEL is none of ${LOG_LEVELS.join(", ")}`);
  if (directoryListingUrl && !directoryListingUrl.includes("{id}")) {
    faults.push("DIRECTORY_LISTING_URL has no {id} in it");
  }

  if (faults.length > 0) {
    throw new ConfigurationError(
      ["The dashboard can't start: its configuration is incomplete.", ...faults.map((f) => `  - ${f}`),
        "Each name is explained in .env.example."].join("\n"),
    );
  }

  return {
    appUrl: new URL(appUrl!).origin,
    appName: value("APP_NAME") ?? "Everyone’s Map",
    production: source.NODE_ENV === "production",
    sessionSecret,
    supabaseUrl: supabaseUrl!.replace(/\/+$/, ""),
    supabasePublishableKey: publishableKey!,
    supabaseSecretKey: secretKey!,
    directoryListingUrl,
    contactUrl,
    googleMapsApiKey: value("GOOGLE_MAPS_API_KEY"),
    trustedIpHeader: value("TRUSTED_IP_HEADER")?.toLowerCase() ?? null,
    trustedCountryHeader: value("TRUSTED_COUNTRY_HEADER")?.toLowerCase() ?? null,
    logLevel,
    localMailboxUrl,
  };
}

let cached: Env | undefined;

/** The configuration of this process, read at the first call. Throws ConfigurationError. */
export function env(): Env {
  cached ??= readEnv(process.env);
  return cached;
}
