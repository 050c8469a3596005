/**
 * The only reader of `process.env` in the app. The configuration is checked once, at startup, and
 * typed from then on. `.env.example` explains each variable.
 */

import { isIP } from "node:net";

import { describeKeyProblem } from "~/text/supabase-keys.server";
import { parseTestimonials, type Testimonial } from "~/text/testimonials.server";
import { isUuid, parseUuid } from "~/text/uuid";

const REQUIRED = [
  "APP_URL",
  "SESSION_SECRET",
  "SUPABASE_URL",
  "SUPABASE_PUBLISHABLE_KEY",
  "SUPABASE_SECRET_KEY",
] as const;

const MIN_SECRET_LENGTH = 32;
/** How many different characters a secret has at least: a random one of 32 digits has more. */
const MIN_SECRET_VARIETY = 5;
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];
/** The name of a header: with a letter, since a lone number is a value for TRUSTED_PROXIES. */
const HEADER_NAME = /^(?=.*[a-z])[\w-]+$/i;
const COUNTRY_HEADER = /country/i;
const ADDRESS_HEADER = /forwarded|real-?ip|connecting-?ip|client-?ip/i;
/** Names that no proxy uses for a visitor's address or country. */
const OTHER_HEADERS = /^(?:host|cookie|authorization|user-agent|accept.*|content-.*)$/i;
const HOST_NAME = /^(?=.*[a-z])[a-z\d]([a-z\d.-]*[a-z\d])?$/i;
/** Keys and tokens of services have no spaces, and are no addresses. */
const OPAQUE = /^[\w.|~+/=-]+$/;
/** What begins like this is a key of Supabase or Stripe, or a JWT. */
const FOREIGN_KEY = /^(?:sb_(?:publishable|secret)_|[sr]k_(?:live|test)_|whsec_|eyJ[\w-]+\.)/;
const SENDER = /^(?:[^<>@\r\n]+<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/;

/** Where "Leave quickly" leads unless another page is set. */
export const DEFAULT_QUICK_EXIT = "https://www.weather.gov/";

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
  /** Signs. */
  sessionSecret: string;
  /** What it has signed and still accepts: the one above first, and the one that it replaces. */
  sessionSecrets: readonly string[];
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
  /** What supporters say, on the pages that sell something. */
  testimonials: readonly Testimonial[];
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
  /** Reports the error about a variable that is set and fails a check. */
  const check = (name: string, isValid: (given: string) => boolean, error: string) => {
    const given = value(name);
    if (given !== null && !isValid(given)) errors.push(`${name} ${error}`);
    return given;
  };

  const parseUrl = (name: string, schemes = ["http:", "https:"]) => {
    const given = value(name);
    if (!given) return null;
    if (!URL.canParse(given) || !schemes.includes(new URL(given).protocol)) {
      errors.push(`${name} is not an address beginning with ${schemes.join(" or ")}`);
      return null;
    }
    if (!new URL(given).hostname && !given.startsWith("mailto:"))
      errors.push(`${name} has no host name`);
    if (name !== "DIRECTORY_LISTING_URL" && /[{}<>]/.test(given))
      errors.push(`${name} has a placeholder in it`);
    return given;
  };
  /** An address without a path: of a server, and not of one of its pages. */
  const parseOrigin = (name: string, what: string) => {
    const given = parseUrl(name);
    if (!given) return null;
    const { pathname, search, hash, username } = new URL(given);
    if (pathname !== "/") errors.push(`${name} has a path, ${pathname}: ${what}`);
    else if (search || hash || username)
      errors.push(`${name} is more than the address of a server: ${what}`);
    return given;
  };
  const isLoopback = (url: string) => LOOPBACK.has(new URL(url).hostname);
  const isSameOrigin = (one: string | null, other: string | null) =>
    one !== null && other !== null && new URL(one).origin === new URL(other).origin;

  const appUrl = parseOrigin("APP_URL", "the dashboard is at the root of its address");
  const supabaseUrl = parseOrigin(
    "SUPABASE_URL",
    "it must be just the project's address, such as https://abc.supabase.co",
  );
  const localMailboxUrl = parseUrl("LOCAL_MAILBOX_URL");
  const production = source.NODE_ENV === "production";
  if (production && appUrl && new URL(appUrl).protocol === "http:") {
    // The local start serves this machine, or a phone in the same network.
    if (!isLoopback(appUrl) && !localMailboxUrl)
      errors.push("APP_URL begins with http:, so passwords would travel unencrypted: use https:");
  }
  if (appUrl && /\.supabase\.co$/.test(new URL(appUrl).hostname))
    errors.push("APP_URL is the address of a Supabase project, not of this dashboard");
  if (isSameOrigin(appUrl, supabaseUrl))
    errors.push("SUPABASE_URL is the address of this dashboard, not of a Supabase project");

  const directoryListingUrl = parseUrl("DIRECTORY_LISTING_URL");
  const contactUrl = parseUrl("CONTACT_URL", ["https:", "http:", "mailto:"]);
  const adminToolUrl = parseUrl("ADMIN_TOOL_URL");
  const quickExitUrl = parseUrl("QUICK_EXIT_URL", ["https:"]);
  const soloEmailUrl = parseUrl("SOLO_EMAIL_CHECKOUT_URL", ["https:"]);
  const blogFeatureUrl = parseUrl("BLOG_FEATURE_CHECKOUT_URL", ["https:"]);
  for (const [name, url] of [
    ["APP_URL", appUrl],
    ["DIRECTORY_LISTING_URL", directoryListingUrl],
    ["ADMIN_TOOL_URL", adminToolUrl],
    ["SOLO_EMAIL_CHECKOUT_URL", soloEmailUrl],
    ["BLOG_FEATURE_CHECKOUT_URL", blogFeatureUrl],
  ] as const) {
    if (isSameOrigin(quickExitUrl, url))
      errors.push(
        `QUICK_EXIT_URL leads to the site of ${name}: choose a page that reveals nothing`,
      );
  }
  if (soloEmailUrl !== null && soloEmailUrl === blogFeatureUrl)
    errors.push("BLOG_FEATURE_CHECKOUT_URL is the same as SOLO_EMAIL_CHECKOUT_URL");
  const testimonials = check(
    "TESTIMONIALS",
    (given) => parseTestimonials(given) !== null,
    'is not a JSON list of at most three, each with "words" (300 characters) and "by" (80)',
  );
  const appName = check(
    "APP_NAME",
    (given) =>
      given.length <= 60 &&
      /\p{L}/u.test(given) &&
      !/^["']|\p{Cc}|:\/\//u.test(given) &&
      !FOREIGN_KEY.test(given),
    "is not a name of at most 60 characters",
  );
  const googleMapsApiKey = check(
    "GOOGLE_MAPS_API_KEY",
    (given) => /^[\w.-]{10,}$/.test(given) && !FOREIGN_KEY.test(given),
    "is not a Google API key",
  );

  const smtpUrl = parseUrl("SMTP_URL", ["smtp:", "smtps:"]);
  if (smtpUrl && new URL(smtpUrl).username && !new URL(smtpUrl).password)
    errors.push("SMTP_URL has a user without a password");
  const mailFrom = value("MAIL_FROM");
  const sessionSecrets = (
    check(
      "SESSION_SECRET",
      (given) => given.split("|").every(({ length }) => length >= MIN_SECRET_LENGTH),
      `is shorter than ${MIN_SECRET_LENGTH} characters`,
    ) ?? ""
  ).split("|");
  check(
    "SESSION_SECRET",
    (given) => given.split("|").every((one) => new Set(one).size >= MIN_SECRET_VARIETY),
    "repeats a few characters: it must be random, as from openssl rand -hex 32",
  );
  check(
    "SESSION_SECRET",
    (given) => given.split("|").every((one) => !FOREIGN_KEY.test(one) && !one.includes("://")),
    "is an address or a service's key: it must be a secret of its own",
  );
  const parseKey = (name: "SUPABASE_PUBLISHABLE_KEY" | "SUPABASE_SECRET_KEY") => {
    const key = value(name);
    const problem = key && describeKeyProblem(name, key);
    if (problem) errors.push(problem);
    return key;
  };
  const publishableKey = parseKey("SUPABASE_PUBLISHABLE_KEY");
  const secretKey = parseKey("SUPABASE_SECRET_KEY");

  const isHeader = (given: string) => HEADER_NAME.test(given) && !OTHER_HEADERS.test(given);
  const ipHeader = check(
    "TRUSTED_IP_HEADER",
    (given) => isHeader(given) && !COUNTRY_HEADER.test(given),
    "is not the name of a header with an IP address",
  )?.toLowerCase();
  const countryHeader = check(
    "TRUSTED_COUNTRY_HEADER",
    (given) => isHeader(given) && !ADDRESS_HEADER.test(given),
    "is not the name of a header with a country",
  )?.toLowerCase();
  const trustedProxies =
    check(
      "TRUSTED_PROXIES",
      (given) => /^[1-9]$/.test(given),
      "is not a number of proxies from 1 to 9",
    ) ?? "1";
  if (value("TRUSTED_PROXIES") && !ipHeader)
    errors.push("TRUSTED_IP_HEADER is missing: TRUSTED_PROXIES counts the addresses in it");
  if (ipHeader && ipHeader === countryHeader)
    errors.push("TRUSTED_COUNTRY_HEADER is the same as TRUSTED_IP_HEADER");

  if (value("SMTP_URL") && !mailFrom)
    errors.push("MAIL_FROM is missing: with SMTP_URL alone no email can be sent");
  if (mailFrom && !value("SMTP_URL"))
    errors.push("SMTP_URL is missing: with MAIL_FROM alone no email can be sent");
  if (mailFrom && !SENDER.test(mailFrom))
    errors.push("MAIL_FROM is neither an email address nor a name with one in <>");
  const hookSecrets = value("SEND_EMAIL_HOOK_SECRET")?.split("|") ?? [];
  if (!hookSecrets.every((secret) => /^v1,whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)))
    errors.push("SEND_EMAIL_HOOK_SECRET is not a hook secret: those begin with v1,whsec_");
  for (const name of ["SMTP_URL", "MAIL_FROM"])
    if (hookSecrets.length > 0 && !value(name))
      errors.push(`${name} is missing: with SEND_EMAIL_HOOK_SECRET alone no email can be sent`);
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
  check(
    "STRIPE_SECRET_KEY",
    (given) => /^[sr]k_/.test(given),
    "is not a secret key: those begin with sk_ or rk_",
  );
  check(
    "STRIPE_WEBHOOK_SECRET",
    (given) => given.startsWith("whsec_"),
    "is not a signing secret: those begin with whsec_",
  );
  const stripeApiUrl = parseOrigin(
    "STRIPE_API_URL",
    "it is the stand-in's address, without a path",
  );
  if (stripeApiUrl && !isLoopback(stripeApiUrl)) {
    errors.push(
      "STRIPE_API_URL is not an address of this machine: only a stand-in for Stripe may have the secret key",
    );
  }
  if (localMailboxUrl && !isLoopback(localMailboxUrl))
    errors.push(
      "LOCAL_MAILBOX_URL is not an address of this machine: only the local start sets it",
    );
  const tax = check(
    "STRIPE_TAX",
    (given) => given === "automatic",
    "is neither automatic nor empty",
  );
  const termsUrl = parseUrl("TERMS_URL");
  const jobCoupon = parsePair("JOB_COUPON_USER", "JOB_COUPON");
  const jobCouponUser = parseUserId("JOB_COUPON_USER");
  check(
    "JOB_COUPON",
    (given) => /^[\w-]+$/.test(given) && !given.startsWith("promo_") && !isUuid(given),
    "is not the id of a Stripe coupon",
  );
  const jobPriceHiddenUser = parseUserId("JOB_PRICE_HIDDEN_USER");
  const ads = parsePair("AD_CONVERSIONS_URL", "AD_CONVERSIONS_TOKEN");
  const emailEvents = parsePair("EMAIL_EVENTS_URL", "EMAIL_EVENTS_KEY");
  for (const name of ["AD_CONVERSIONS_URL", "EMAIL_EVENTS_URL"]) {
    const url = parseUrl(name);
    if (url?.startsWith("http:") && !isLoopback(url))
      errors.push(`${name} begins with http:, so data about people would travel unencrypted`);
  }
  for (const name of ["AD_CONVERSIONS_TOKEN", "EMAIL_EVENTS_KEY"])
    check(
      name,
      (given) => OPAQUE.test(given),
      "is not a token or key: it has spaces, or is an address",
    );
  const captcha = parsePair("CAPTCHA_PROVIDER", "CAPTCHA_SITE_KEY");
  const captchaProvider = CAPTCHA_PROVIDERS.find((name) => name === value("CAPTCHA_PROVIDER"));
  if (value("CAPTCHA_PROVIDER") && !captchaProvider)
    errors.push(`CAPTCHA_PROVIDER is not one of ${CAPTCHA_PROVIDERS.join(", ")}`);
  // The ids of hCaptcha's sites are UUIDs, and Turnstile's begin with 0x (those for tests with 1x, 2x, or 3x).
  check(
    "CAPTCHA_SITE_KEY",
    (given) =>
      /^[\w-]+$/.test(given) &&
      (captchaProvider !== "hcaptcha" || isUuid(given)) &&
      (captchaProvider !== "turnstile" || /^\dx/.test(given)),
    `is not a site key${captchaProvider ? ` of ${captchaProvider}` : ""}`,
  );
  const logLevel =
    check(
      "LOG_LEVEL",
      (given) => LOG_LEVELS.includes(given),
      `is not one of ${LOG_LEVELS.join(", ")}`,
    ) ?? "info";
  // remix-serve reads these two itself.
  check(
    "PORT",
    (given) => /^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= 65_535,
    "is not a port from 1 to 65535",
  );
  check(
    "HOST",
    (given) => isIP(given) !== 0 || HOST_NAME.test(given),
    "is not an address to listen on, such as 127.0.0.1 or 0.0.0.0",
  );
  const metricsPort = check(
    "METRICS_PORT",
    (given) => /^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= 65_535,
    "is not a port from 1 to 65535",
  );
  const metricsHost = check(
    "METRICS_HOST",
    (given) => isIP(given) !== 0 || HOST_NAME.test(given),
    "is not an address to listen on, such as 127.0.0.1 or 0.0.0.0",
  );
  if (metricsPort !== null && metricsPort === (value("PORT") ?? "3000"))
    errors.push("METRICS_PORT is the same as PORT: the metrics need a port of their own");
  if (metricsHost !== null && metricsPort === null)
    errors.push("METRICS_PORT is missing: with METRICS_HOST alone there are no metrics");
  const stopSeconds =
    check(
      "STOP_SECONDS",
      (given) => Number(given) >= 1 && Number(given) <= 600,
      "is not a number of seconds from 1 to 600",
    ) ?? "10";
  if (isSameOrigin(adminToolUrl, appUrl)) {
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
    appName: appName ?? "Everyone’s Map",
    production,
    sessionSecret: sessionSecrets[0]!,
    sessionSecrets,
    supabaseUrl: supabaseUrl!.replace(/\/+$/, ""),
    supabasePublishableKey: publishableKey!,
    supabaseSecretKey: secretKey!,
    directoryListingUrl,
    contactUrl,
    adminToolUrl,
    quickExitUrl: quickExitUrl ?? DEFAULT_QUICK_EXIT,
    soloEmailUrl,
    blogFeatureUrl,
    testimonials: (testimonials && parseTestimonials(testimonials)) || [],
    googleMapsApiKey,
    trustedIpHeader: ipHeader ?? null,
    trustedProxies: Number(trustedProxies),
    trustedCountryHeader: countryHeader ?? null,
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
    metrics: metricsPort ? { host: metricsHost ?? "127.0.0.1", port: Number(metricsPort) } : null,
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
