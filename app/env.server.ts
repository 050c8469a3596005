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
const SENDER = /^(?:[^<>@\r\n]+<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Where and as whom payments are asked for. */
export interface StripeAccount {
  secretKey: string;
  /** Signs the events that come to /webhooks/stripe. */
  webhookSecret: string;
  /** Set only by the local start: the stand-in's origin. Null for Stripe itself. */
  apiUrl: string | null;
}

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
  /** The team's own database tool, which stands within /admin/retool. */
  adminToolUrl: string | null;
  /** A page that tells nothing, for those who must leave at once. */
  quickExitUrl: string;
  /** Where the two offers of the home page that are sold elsewhere are paid for. */
  soloEmailUrl: string | null;
  blogFeatureUrl: string | null;
  /** Looks addresses up at Google; without it the embedded gazetteer does. */
  googleMapsApiKey: string | null;
  /** Names of headers that a proxy under our control sets (and strips from clients). */
  trustedIpHeader: string | null;
  trustedCountryHeader: string | null;
  /** Where e-mails are handed over, and whom they are from; null when none can be sent. */
  mail: { smtpUrl: string; from: string } | null;
  /** Null while no payments are set up: buying says so. */
  stripe: StripeAccount | null;
  /** The account whose jobs are paid with this coupon. */
  jobCoupon: { userId: string; coupon: string } | null;
  /** The account that is not shown what a job costs. */
  jobPriceHiddenUser: string | null;
  /** Services that are told of visits and payments of people who agreed to it; null while not set up. */
  tracking: {
    ads: { url: string; token: string } | null;
    email: { url: string; key: string } | null;
  };
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
  const faults: string[] = REQUIRED.filter((name) => !value(name)).map(
    (name) => `${name} is missing`,
  );

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
  const adminToolUrl = webAddress("ADMIN_TOOL_URL");
  const quickExitUrl = webAddress("QUICK_EXIT_URL", ["https:"]);
  const soloEmailUrl = webAddress("SOLO_EMAIL_CHECKOUT_URL", ["https:"]);
  const blogFeatureUrl = webAddress("BLOG_FEATURE_CHECKOUT_URL", ["https:"]);
  const smtpUrl = webAddress("SMTP_URL", ["smtp:", "smtps:"]);
  const mailFrom = value("MAIL_FROM");
  const localMailboxUrl = webAddress("LOCAL_MAILBOX_URL");
  const sessionSecret = value("SESSION_SECRET") ?? "";
  if (sessionSecret && sessionSecret.length < MIN_SECRET_LENGTH) {
    faults.push(`SESSION_SECRET is shorter than ${MIN_SECRET_LENGTH} characters`);
  }
  if (appUrl && new URL(appUrl).pathname !== "/")
    faults.push("APP_URL has a path: the dashboard stands at the root of its address");
  // Supabase's newer keys say themselves which they are. With the secret one in both places, anybody would be an admin.
  const [publishableKey, secretKey] = [
    value("SUPABASE_PUBLISHABLE_KEY"),
    value("SUPABASE_SECRET_KEY"),
  ];
  if (publishableKey && (publishableKey === secretKey || publishableKey.startsWith("sb_secret_"))) {
    faults.push("SUPABASE_PUBLISHABLE_KEY holds a secret key");
  }
  if (secretKey?.startsWith("sb_publishable_"))
    faults.push("SUPABASE_SECRET_KEY holds a publishable key");
  for (const name of ["TRUSTED_IP_HEADER", "TRUSTED_COUNTRY_HEADER"]) {
    if (!HEADER_NAME.test(value(name) ?? "x")) faults.push(`${name} is not the name of a header`);
  }
  if (value("SMTP_URL") && !mailFrom)
    faults.push("MAIL_FROM is missing: with SMTP_URL alone no e-mail can be sent");
  if (mailFrom && !value("SMTP_URL"))
    faults.push("SMTP_URL is missing: with MAIL_FROM alone no e-mail can be sent");
  if (mailFrom && !SENDER.test(mailFrom))
    faults.push("MAIL_FROM is no e-mail address, nor a name with one in <>");
  const both = (one: string, other: string) => {
    const [first, second] = [value(one), value(other)];
    if (first && second) return [first, second] as const;
    if (first ?? second)
      faults.push(`${first ? other : one} is missing: it goes with ${first ? one : other}`);
    return null;
  };
  const account = (name: string) => {
    const given = value(name);
    if (given && !UUID.test(given)) faults.push(`${name} is not the id of an account`);
    return given?.toLowerCase() ?? null;
  };
  const stripeKeys = both("STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET");
  if (stripeKeys && !/^[sr]k_/.test(stripeKeys[0]))
    faults.push("STRIPE_SECRET_KEY is no secret key: those begin with sk_ or rk_");
  if (stripeKeys && !stripeKeys[1].startsWith("whsec_"))
    faults.push("STRIPE_WEBHOOK_SECRET is no signing secret: those begin with whsec_");
  const stripeApiUrl = webAddress("STRIPE_API_URL");
  if (stripeApiUrl && !LOOPBACK.has(new URL(stripeApiUrl).hostname)) {
    faults.push(
      "STRIPE_API_URL is not an address of this machine: only a stand-in for Stripe may have the secret key",
    );
  }
  const jobCoupon = both("JOB_COUPON_USER", "JOB_COUPON");
  const jobCouponUser = account("JOB_COUPON_USER");
  const jobPriceHiddenUser = account("JOB_PRICE_HIDDEN_USER");
  const ads = both("AD_CONVERSIONS_URL", "AD_CONVERSIONS_TOKEN");
  const emailEvents = both("EMAIL_EVENTS_URL", "EMAIL_EVENTS_KEY");
  for (const name of ["AD_CONVERSIONS_URL", "EMAIL_EVENTS_URL"]) webAddress(name);
  const logLevel = value("LOG_LEVEL") ?? "info";
  if (!LOG_LEVELS.includes(logLevel)) faults.push(`LOG_LEVEL is none of ${LOG_LEVELS.join(", ")}`);
  if (adminToolUrl && appUrl && new URL(adminToolUrl).origin === new URL(appUrl).origin) {
    // It would run with the rights of this dashboard, in a frame that is meant to keep it out.
    faults.push("ADMIN_TOOL_URL is an address of this dashboard");
  }
  if (directoryListingUrl && !directoryListingUrl.includes("{id}")) {
    faults.push("DIRECTORY_LISTING_URL has no {id} in it");
  }

  if (faults.length > 0) {
    throw new ConfigurationError(
      [
        "The dashboard can't start: its configuration is incomplete.",
        ...faults.map((f) => `  - ${f}`),
        "Each name is explained in .env.example.",
      ].join("\n"),
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
    adminToolUrl,
    quickExitUrl: quickExitUrl ?? "https://www.weather.gov/",
    soloEmailUrl,
    blogFeatureUrl,
    googleMapsApiKey: value("GOOGLE_MAPS_API_KEY"),
    trustedIpHeader: value("TRUSTED_IP_HEADER")?.toLowerCase() ?? null,
    trustedCountryHeader: value("TRUSTED_COUNTRY_HEADER")?.toLowerCase() ?? null,
    mail: smtpUrl && mailFrom ? { smtpUrl, from: mailFrom } : null,
    stripe: stripeKeys && {
      secretKey: stripeKeys[0],
      webhookSecret: stripeKeys[1],
      apiUrl: stripeApiUrl && new URL(stripeApiUrl).origin,
    },
    jobCoupon: jobCoupon && { userId: jobCouponUser!, coupon: jobCoupon[1] },
    jobPriceHiddenUser,
    tracking: {
      ads: ads && { url: ads[0], token: ads[1] },
      email: emailEvents && { url: emailEvents[0], key: emailEvents[1] },
    },
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
