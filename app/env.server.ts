/**
 * The only reader of `process.env` in the app. The configuration is checked once, at startup, and
 * typed from then on. `.env.example` explains each variable.
 */

import { describeKeyProblem } from "~/text/supabase-keys.server";
import { parseUuid } from "~/text/uuid";

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

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

const CAPTCHA_PROVIDERS = ["turnstile", "hcaptcha"] as const;
export type CaptchaProvider = (typeof CAPTCHA_PROVIDERS)[number];

/** The Stripe account that receives payments. */
interface StripeAccount {
  secretKey: string;
  /** Verifies the events that are sent to /webhooks/stripe. */
  webhookSecret: string;
  /** The origin of the stand-in, set only by the local start. Null for Stripe itself. */
  apiUrl: string | null;
}

interface Env {
  /** The origin of the dashboard, without a trailing slash: the base of every absolute URL. */
  appUrl: string;
  appName: string;
  production: boolean;
  sessionSecret: string;
  supabaseUrl: string;
  supabasePublishableKey: string;
  supabaseSecretKey: string;
  /** The URL of a listing's public page, with `{id}` for the listing's id. */
  directoryListingUrl: string | null;
  contactUrl: string | null;
  /** The team's database tool, shown in a frame of /admin/retool. */
  adminToolUrl: string | null;
  /** A harmless page, for users who must leave at once. */
  quickExitUrl: string;
  /** The checkout pages of the two offers on the home page that are sold elsewhere. */
  soloEmailUrl: string | null;
  blogFeatureUrl: string | null;
  /** The key of Google's address search. Without it the embedded gazetteer is used. */
  googleMapsApiKey: string | null;
  /** The names of headers that a trusted proxy sets (and removes from clients' requests). */
  trustedIpHeader: string | null;
  /** How many of the proxies in front of this server add an address to that header. */
  trustedProxies: number;
  trustedCountryHeader: string | null;
  /** The mail server and the sender; null when no emails can be sent. */
  mail: { smtpUrl: string; from: string } | null;
  /** Verify that the auth service asks for an email; empty while it sends its emails itself. */
  sendEmailHookSecrets: readonly string[];
  /** Null while payments are not configured. */
  stripe: StripeAccount | null;
  /** Whether Stripe adds tax to our prices. */
  taxIsAdded: boolean;
  /** The terms of sale, linked beside every button that leads to a payment. */
  termsUrl: string | null;
  /** The user whose jobs are paid with this coupon. */
  jobCoupon: { userId: string; coupon: string } | null;
  /** The id of the user who is not shown the price of a job. */
  jobPriceHiddenUser: string | null;
  /** The services that get events of users who consented; null while not configured. */
  tracking: {
    ads: { url: string; token: string } | null;
    email: { url: string; key: string } | null;
  };
  /** The captcha that the Supabase project checks, for unusual volumes of sign-ups; null for none. */
  captcha: { provider: CaptchaProvider; siteKey: string } | null;
  logLevel: string;
  /** Where Prometheus reads the metrics; null for nowhere. */
  metrics: { host: string; port: number } | null;
  /** Within how many seconds the process ends once it is asked to. */
  stopSeconds: number;
  /** The page that shows all emails, set only by the local start. */
  localMailboxUrl: string | null;
}

/** The configuration is missing or malformed. The message names every error. */
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
  const errors: string[] = REQUIRED.filter((name) => !value(name)).map(
    (name) => `${name} is missing`,
  );

  const parseUrl = (name: string, schemes = ["http:", "https:"]) => {
    const given = value(name);
    if (!given) return null;
    if (URL.canParse(given) && schemes.includes(new URL(given).protocol)) return given;
    errors.push(`${name} is not an address beginning with ${schemes.join(" or ")}`);
    return null;
  };

  const appUrl = parseUrl("APP_URL");
  const supabaseUrl = parseUrl("SUPABASE_URL");
  const directoryListingUrl = parseUrl("DIRECTORY_LISTING_URL");
  const contactUrl = parseUrl("CONTACT_URL", ["https:", "http:", "mailto:"]);
  const adminToolUrl = parseUrl("ADMIN_TOOL_URL");
  const quickExitUrl = parseUrl("QUICK_EXIT_URL", ["https:"]);
  const soloEmailUrl = parseUrl("SOLO_EMAIL_CHECKOUT_URL", ["https:"]);
  const blogFeatureUrl = parseUrl("BLOG_FEATURE_CHECKOUT_URL", ["https:"]);
  const smtpUrl = parseUrl("SMTP_URL", ["smtp:", "smtps:"]);
  const mailFrom = value("MAIL_FROM");
  const localMailboxUrl = parseUrl("LOCAL_MAILBOX_URL");
  const sessionSecret = value("SESSION_SECRET") ?? "";
  if (sessionSecret && sessionSecret.length < MIN_SECRET_LENGTH) {
    errors.push(`SESSION_SECRET is shorter than ${MIN_SECRET_LENGTH} characters`);
  }
  if (appUrl && new URL(appUrl).pathname !== "/")
    errors.push("APP_URL has a path: the dashboard stands at the root of its address");
  const parseKey = (name: "SUPABASE_PUBLISHABLE_KEY" | "SUPABASE_SECRET_KEY") => {
    const key = value(name);
    const problem = key && describeKeyProblem(name, key);
    if (problem) errors.push(problem);
    return key;
  };
  const publishableKey = parseKey("SUPABASE_PUBLISHABLE_KEY");
  const secretKey = parseKey("SUPABASE_SECRET_KEY");
  for (const name of ["TRUSTED_IP_HEADER", "TRUSTED_COUNTRY_HEADER"]) {
    if (!HEADER_NAME.test(value(name) ?? "x")) errors.push(`${name} is not the name of a header`);
  }
  const trustedProxies = value("TRUSTED_PROXIES") ?? "1";
  if (!/^[1-9]$/.test(trustedProxies))
    errors.push("TRUSTED_PROXIES is not a number of proxies from 1 to 9");
  if (value("SMTP_URL") && !mailFrom)
    errors.push("MAIL_FROM is missing: with SMTP_URL alone no e-mail can be sent");
  if (mailFrom && !value("SMTP_URL"))
    errors.push("SMTP_URL is missing: with MAIL_FROM alone no e-mail can be sent");
  if (mailFrom && !SENDER.test(mailFrom))
    errors.push("MAIL_FROM is no e-mail address, nor a name with one in <>");
  const hookSecrets = value("SEND_EMAIL_HOOK_SECRET")?.split("|") ?? [];
  if (!hookSecrets.every((secret) => /^v1,whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)))
    errors.push("SEND_EMAIL_HOOK_SECRET is no secret of a hook: those begin with v1,whsec_");
  if (hookSecrets.length > 0 && !value("SMTP_URL"))
    errors.push(
      "SMTP_URL is missing: with SEND_EMAIL_HOOK_SECRET no email of an account can be sent",
    );
  const parsePair = (one: string, other: string) => {
    const [first, second] = [value(one), value(other)];
    if (first && second) return [first, second] as const;
    if (first ?? second)
      errors.push(`${first ? other : one} is missing: it goes with ${first ? one : other}`);
    return null;
  };
  const parseUserId = (name: string) => {
    const id = parseUuid(value(name));
    if (value(name) && id === null) errors.push(`${name} is not the id of an account`);
    return id;
  };
  const stripeKeys = parsePair("STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET");
  if (stripeKeys && !/^[sr]k_/.test(stripeKeys[0]))
    errors.push("STRIPE_SECRET_KEY is no secret key: those begin with sk_ or rk_");
  if (stripeKeys && !stripeKeys[1].startsWith("whsec_"))
    errors.push("STRIPE_WEBHOOK_SECRET is no signing secret: those begin with whsec_");
  const stripeApiUrl = parseUrl("STRIPE_API_URL");
  if (stripeApiUrl && !LOOPBACK.has(new URL(stripeApiUrl).hostname)) {
    errors.push(
      "STRIPE_API_URL is not an address of this machine: only a stand-in for Stripe may have the secret key",
    );
  }
  const tax = value("STRIPE_TAX");
  if (tax !== null && tax !== "automatic") errors.push("STRIPE_TAX is neither automatic nor empty");
  const termsUrl = parseUrl("TERMS_URL");
  const jobCoupon = parsePair("JOB_COUPON_USER", "JOB_COUPON");
  const jobCouponUser = parseUserId("JOB_COUPON_USER");
  const jobPriceHiddenUser = parseUserId("JOB_PRICE_HIDDEN_USER");
  const ads = parsePair("AD_CONVERSIONS_URL", "AD_CONVERSIONS_TOKEN");
  const emailEvents = parsePair("EMAIL_EVENTS_URL", "EMAIL_EVENTS_KEY");
  for (const name of ["AD_CONVERSIONS_URL", "EMAIL_EVENTS_URL"]) parseUrl(name);
  const captcha = parsePair("CAPTCHA_PROVIDER", "CAPTCHA_SITE_KEY");
  const captchaProvider = CAPTCHA_PROVIDERS.find((name) => name === captcha?.[0]);
  if (captcha && !captchaProvider)
    errors.push(`CAPTCHA_PROVIDER is none of ${CAPTCHA_PROVIDERS.join(", ")}`);
  if (captcha && !/^[\w-]+$/.test(captcha[1])) errors.push("CAPTCHA_SITE_KEY is not a site key");
  const logLevel = value("LOG_LEVEL") ?? "info";
  if (!LOG_LEVELS.includes(logLevel)) errors.push(`LOG_LEVEL is none of ${LOG_LEVELS.join(", ")}`);
  const metricsPort = value("METRICS_PORT");
  const metricsHost = value("METRICS_HOST") ?? "127.0.0.1";
  if (metricsPort !== null && !(/^\d{1,5}$/.test(metricsPort) && Number(metricsPort) <= 65_535))
    errors.push("METRICS_PORT is not the number of a port");
  if (metricsPort !== null && metricsPort === value("PORT"))
    errors.push("METRICS_PORT is the same as PORT: the metrics need a port of their own");
  const stopSeconds = value("STOP_SECONDS") ?? "10";
  if (!(Number(stopSeconds) >= 1 && Number(stopSeconds) <= 600))
    errors.push("STOP_SECONDS is not a number of seconds from 1 to 600");
  if (adminToolUrl && appUrl && new URL(adminToolUrl).origin === new URL(appUrl).origin) {
    // It would have the rights of the dashboard, which the frame is meant to prevent.
    errors.push("ADMIN_TOOL_URL is an address of this dashboard");
  }
  if (directoryListingUrl && !directoryListingUrl.includes("{id}")) {
    errors.push("DIRECTORY_LISTING_URL has no {id} in it");
  }

  if (errors.length > 0) {
    throw new ConfigurationError(
      [
        "The dashboard can't start: its configuration is incomplete.",
        ...errors.map((f) => `  - ${f}`),
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
    trustedProxies: Number(trustedProxies),
    trustedCountryHeader: value("TRUSTED_COUNTRY_HEADER")?.toLowerCase() ?? null,
    mail: smtpUrl && mailFrom ? { smtpUrl, from: mailFrom } : null,
    sendEmailHookSecrets: hookSecrets.map((secret) => secret.replace("v1,", "")),
    stripe: stripeKeys && {
      secretKey: stripeKeys[0],
      webhookSecret: stripeKeys[1],
      apiUrl: stripeApiUrl && new URL(stripeApiUrl).origin,
    },
    taxIsAdded: tax === "automatic",
    termsUrl,
    jobCoupon: jobCoupon && { userId: jobCouponUser!, coupon: jobCoupon[1] },
    jobPriceHiddenUser,
    tracking: {
      ads: ads && { url: ads[0], token: ads[1] },
      email: emailEvents && { url: emailEvents[0], key: emailEvents[1] },
    },
    captcha: captcha && captchaProvider ? { provider: captchaProvider, siteKey: captcha[1] } : null,
    logLevel,
    metrics: metricsPort ? { host: metricsHost, port: Number(metricsPort) } : null,
    stopSeconds: Number(stopSeconds),
    localMailboxUrl,
  };
}

let cached: Env | undefined;

/** The configuration of this process. It is read at the first call. Throws ConfigurationError. */
export function env(): Env {
  cached ??= readEnv(process.env);
  return cached;
}
