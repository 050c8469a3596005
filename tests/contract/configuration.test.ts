/**
 * Every variable of .env.example when it is missing, of the wrong kind, or swapped with its neighbor in
 * that file: the start stops with a sentence that names it. A new variable needs a case here.
 */
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { ConfigurationError, readEnv } from "~/env.server";

const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
const names = [...example.matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]!);

interface Case {
  valid: string;
  /** What happens without it: the app does not start, or it runs without what the variable is for. */
  missing: "stops" | "optional";
  /** Its partners, without which it is refused; they are missing when it is. */
  with?: string[];
  wrong: string[];
}

const jwt = (role: string) =>
  ["eyJhbGciOiJIUzI1NiJ9", Buffer.from(JSON.stringify({ role })).toString("base64url"), "x"].join(
    ".",
  );
const USER = "5eed0000-0000-4000-9000-000000000001";
const WEB = [
  "example.org",
  "javascript:alert(1)",
  "https://",
  "https://{id}.example.org",
  '"https://example.org"',
];

const cases: Record<string, Case> = {
  APP_URL: {
    valid: "https://dashboard.example.org",
    missing: "stops",
    wrong: [
      ...WEB,
      "https://dashboard.example.org/app",
      "https://dashboard.example.org/?x=1",
      "https://abc.supabase.co",
    ],
  },
  SESSION_SECRET: {
    valid: "0123456789abcdef0123456789abcdef",
    missing: "stops",
    wrong: [
      "short",
      "01".repeat(20),
      "https://dashboard.directory.example.org",
      `sb_secret_${"x".repeat(32)}`,
    ],
  },
  SUPABASE_URL: {
    valid: "https://abc.supabase.co",
    missing: "stops",
    wrong: [
      ...WEB,
      "https://abc.supabase.co/rest/v1",
      "https://abc.supabase.co/rest/v1/",
      "https://supabase.com/dashboard/project/abc",
      "https://abc.supabase.co?apikey=x",
      "https://user:password@abc.supabase.co",
      "postgresql://postgres:x@db.abc.supabase.co:5432/postgres",
      "https://dashboard.example.org",
    ],
  },
  SUPABASE_PUBLISHABLE_KEY: {
    valid: "sb_publishable_x",
    missing: "stops",
    wrong: ["key", "sb_secret_x", jwt("service_role"), "pk_live_x"],
  },
  SUPABASE_SECRET_KEY: {
    valid: "sb_secret_x",
    missing: "stops",
    wrong: ["key", "sb_publishable_x", jwt("anon"), "sk_live_x"],
  },
  HOST: {
    valid: "0.0.0.0",
    missing: "optional",
    wrong: ["3000", "http://0.0.0.0", "0.0.0.0:3000", "all hosts", "256.1.1.1"],
  },
  PORT: { valid: "3000", missing: "optional", wrong: ["http", "0", "65536", "3000/tcp", "-1"] },
  APP_NAME: {
    valid: "Example Map",
    missing: "optional",
    wrong: [
      "https://example.org",
      "3000",
      "sb_secret_x",
      "x".repeat(61),
      "two\nlines",
      '"Example Map"',
    ],
  },
  DIRECTORY_LISTING_URL: {
    valid: "https://map.example.org/place/{id}",
    missing: "optional",
    wrong: ["map.example.org/{id}", "https://map.example.org/place/", "javascript:alert('{id}')"],
  },
  CONTACT_URL: {
    valid: "mailto:hello@example.org",
    missing: "optional",
    wrong: ["hello@example.org", "javascript:alert(1)", "https://{id}.example.org"],
  },
  ADMIN_TOOL_URL: {
    valid: "https://team.retool.example/apps/db",
    missing: "optional",
    wrong: [...WEB, "https://dashboard.example.org/admin"],
  },
  QUICK_EXIT_URL: {
    valid: "https://weather.example/",
    missing: "optional",
    wrong: [
      ...WEB,
      "http://weather.example/",
      "https://dashboard.example.org/",
      "https://map.example.org/",
      "https://team.retool.example/",
      "https://buy.example/weather",
    ],
  },
  SOLO_EMAIL_CHECKOUT_URL: {
    valid: "https://buy.example/solo",
    missing: "optional",
    wrong: [...WEB, "http://buy.example/solo", "https://weather.example/solo"],
  },
  BLOG_FEATURE_CHECKOUT_URL: {
    valid: "https://buy.example/blog",
    missing: "optional",
    wrong: [...WEB, "http://buy.example/blog", "https://buy.example/solo"],
  },
  TESTIMONIALS: {
    valid: '[{"words":"They found us.","by":"Sam, Café X"}]',
    missing: "optional",
    wrong: [
      "They found us.",
      '{"words":"They found us.","by":"Sam"}',
      '[{"words":"They found us."}]',
      '[{"words":" ","by":"Sam"}]',
      JSON.stringify([{ words: "x".repeat(301), by: "Sam" }]),
      JSON.stringify(Array(4).fill({ words: "They found us.", by: "Sam" })),
      "[null]",
    ],
  },
  GOOGLE_MAPS_API_KEY: {
    valid: "AIzaSyA0123456789abcdefghijklmnopqrstuv",
    missing: "optional",
    wrong: ["https://maps.example.org", "two words here", "sk_live_0123456789", "short"],
  },
  SMTP_URL: {
    valid: "smtp://user:password@mail.example.org:587",
    missing: "optional",
    with: ["MAIL_FROM", "SEND_EMAIL_HOOK_SECRET"],
    wrong: [
      "https://mail.example.org",
      "mail.example.org:587",
      "smtp://",
      "smtp:mail.example.org",
      "smtp://user@mail.example.org",
      "smtp://user:password@{host}",
    ],
  },
  MAIL_FROM: {
    valid: "Team <hello@example.org>",
    missing: "optional",
    with: ["SMTP_URL", "SEND_EMAIL_HOOK_SECRET"],
    wrong: ["Team", "hello@", "Team <hello@example.org", "one@example.org, two@example.org"],
  },
  SEND_EMAIL_HOOK_SECRET: {
    valid: `v1,whsec_${Buffer.from("x".repeat(32)).toString("base64")}`,
    missing: "optional",
    wrong: ["secret", "v1,whsec_x", `whsec_${"x".repeat(32)}`, `v1,whsec_${"!".repeat(32)}`],
  },
  TRUSTED_IP_HEADER: {
    valid: "X-Forwarded-For",
    missing: "optional",
    with: ["TRUSTED_PROXIES"],
    wrong: ["2", "X Real IP", "X-Real-IP:", "Host", "Cookie", "CF-IPCountry", "203.0.113.9"],
  },
  TRUSTED_PROXIES: {
    valid: "2",
    missing: "optional",
    wrong: ["0", "10", "all", "true", "10.0.0.0/8"],
  },
  TRUSTED_COUNTRY_HEADER: {
    valid: "CF-IPCountry",
    missing: "optional",
    wrong: ["US:", "2", "X-Forwarded-For", "X-Real-IP", "User-Agent"],
  },
  STRIPE_SECRET_KEY: {
    valid: "rk_live_x",
    missing: "optional",
    with: ["STRIPE_WEBHOOK_SECRET"],
    wrong: ["key", "pk_live_x", "whsec_x", "sb_secret_x"],
  },
  STRIPE_WEBHOOK_SECRET: {
    valid: "whsec_x",
    missing: "optional",
    with: ["STRIPE_SECRET_KEY"],
    wrong: ["secret", "rk_live_x", "we_x"],
  },
  STRIPE_TAX: { valid: "automatic", missing: "optional", wrong: ["yes", "true", "19"] },
  TERMS_URL: { valid: "https://example.org/terms", missing: "optional", wrong: WEB },
  JOB_COUPON_USER: {
    valid: USER,
    missing: "optional",
    with: ["JOB_COUPON"],
    wrong: ["owner@example.org", "1", `${USER}x`],
  },
  JOB_COUPON: {
    valid: "team-jobs",
    missing: "optional",
    with: ["JOB_COUPON_USER"],
    wrong: [USER, "promo_x", "https://dashboard.stripe.com/coupons/x", "50 %"],
  },
  JOB_PRICE_HIDDEN_USER: {
    valid: "5eed0000-0000-4000-9000-000000000002",
    missing: "optional",
    wrong: ["owner@example.org", "team-jobs"],
  },
  AD_CONVERSIONS_URL: {
    valid: "https://graph.facebook.example/v24.0/1/events",
    missing: "optional",
    with: ["AD_CONVERSIONS_TOKEN"],
    wrong: [
      ...WEB,
      "https://graph.facebook.example/v24.0/{pixel id}/events",
      "http://graph.facebook.example/v24.0/1/events",
    ],
  },
  AD_CONVERSIONS_TOKEN: {
    valid: "EAAx",
    missing: "optional",
    with: ["AD_CONVERSIONS_URL"],
    wrong: ["https://graph.facebook.example/", "Bearer EAAx"],
  },
  EMAIL_EVENTS_URL: {
    valid: "https://a.klaviyo.example/api/events",
    missing: "optional",
    with: ["EMAIL_EVENTS_KEY"],
    wrong: [...WEB, "http://a.klaviyo.example/api/events"],
  },
  EMAIL_EVENTS_KEY: {
    valid: "pk_x",
    missing: "optional",
    with: ["EMAIL_EVENTS_URL"],
    wrong: ["https://a.klaviyo.example/", "Klaviyo-API-Key pk_x"],
  },
  CAPTCHA_PROVIDER: {
    valid: "turnstile",
    missing: "optional",
    with: ["CAPTCHA_SITE_KEY"],
    wrong: ["recaptcha", "0x4AAAAAAA_site", "hcaptcha"],
  },
  CAPTCHA_SITE_KEY: {
    valid: "0x4AAAAAAA_site",
    missing: "optional",
    with: ["CAPTCHA_PROVIDER"],
    wrong: ["turnstile.example/site", "info", "10000000-ffff-ffff-ffff-000000000001", '"><script>'],
  },
  LOG_LEVEL: { valid: "info", missing: "optional", wrong: ["verbose", "3", "INFO "] },
  METRICS_PORT: {
    valid: "9464",
    missing: "optional",
    with: ["METRICS_HOST"],
    wrong: ["metrics", "0", "70000", ":9464"],
  },
  METRICS_HOST: {
    valid: "10.0.0.5",
    missing: "optional",
    wrong: ["9464", "http://10.0.0.5", "10.0.0.5:9464", "256.1.1.1"],
  },
  STOP_SECONDS: { valid: "15", missing: "optional", wrong: ["soon", "0", "15s", "-1"] },
  LOCAL_MAILBOX_URL: {
    valid: "http://127.0.0.1:54321/mailbox",
    missing: "optional",
    wrong: ["mailbox", "https://mail.example.org/", "http://192.0.2.1:54321/mailbox"],
  },
  STRIPE_API_URL: {
    valid: "http://127.0.0.1:54321",
    missing: "optional",
    wrong: ["stripe", "https://api.stripe.example", "http://127.0.0.1:54321/mailbox"],
  },
};

/**
 * Pairs of neighbors in which the start can't see that they are swapped: any https address is right. The doctor asks for
 * their pages (tests/routes/doctor.test.ts).
 */
const LOOK_ALIKE = new Set([
  "ADMIN_TOOL_URL and QUICK_EXIT_URL",
  "SOLO_EMAIL_CHECKOUT_URL and BLOG_FEATURE_CHECKOUT_URL",
]);

/** Everything set, as in production. */
const everything: Record<string, string | undefined> = {
  NODE_ENV: "production",
  ...Object.fromEntries(Object.entries(cases).map(([name, { valid }]) => [name, valid])),
};

/** What the start says; null when it starts. */
function start(environment: Record<string, string | undefined>): string | null {
  try {
    readEnv(environment);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message;
  }
}

/** Whether a message has a sentence that begins with this variable. */
const hasSentence = (message: string | null, name: string) =>
  new RegExp(`^ {2}- ${name} `, "m").test(message ?? "");

it("has a case for each variable, and no other", () => {
  expect(Object.keys(cases)).toEqual(names);
});

it("starts with everything set", () => {
  expect(start(everything)).toBeNull();
});

describe.each(Object.entries(cases))("%s", (name, { missing, with: partners = [], wrong }) => {
  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["blank", "  "],
  ])("%s", (_, nothing) => {
    const rest = { ...everything, ...Object.fromEntries(partners.map((one) => [one, nothing])) };
    const message = start({ ...rest, [name]: nothing });
    if (missing === "stops") expect(message).toContain(`${name} is missing`);
    else expect(message).toBeNull();
  });

  it.each(partners)("without %s", (partner) => {
    const without = start({ ...everything, [name]: undefined });
    expect(without).toContain(`${name} is missing`);
    expect(without).toContain(partner);
  });

  it.each(wrong)("of the wrong kind: %s", (value) => {
    const message = start({ ...everything, [name]: value });
    // "hcaptcha" is a provider: its site key is another one's then.
    const reported =
      name === "CAPTCHA_PROVIDER" && value === "hcaptcha" ? "CAPTCHA_SITE_KEY" : name;
    const exit = name === "SOLO_EMAIL_CHECKOUT_URL" && value.includes("weather");
    expect(message).not.toBeNull();
    expect(hasSentence(message, exit ? "QUICK_EXIT_URL" : reported)).toBe(true);
  });
});

describe("swapped with its neighbor", () => {
  const pairs = names.slice(1).map((name, index) => [names[index]!, name] as const);

  it.each(pairs)("%s and %s", (one, other) => {
    const message = start({
      ...everything,
      [one]: everything[other],
      [other]: everything[one],
    });
    if (LOOK_ALIKE.has(`${one} and ${other}`)) return expect(message).toBeNull();
    expect(hasSentence(message, one) || hasSentence(message, other)).toBe(true);
  });
});

it("shows no secret in its sentences", () => {
  const secrets = [
    "SESSION_SECRET",
    "SUPABASE_SECRET_KEY",
    "SEND_EMAIL_HOOK_SECRET",
    "GOOGLE_MAPS_API_KEY",
    "STRIPE_SECRET_KEY",
    "STRIPE_WEBHOOK_SECRET",
    "AD_CONVERSIONS_TOKEN",
    "EMAIL_EVENTS_KEY",
  ];
  for (const name of names) {
    for (const secret of [...secrets.map((one) => cases[one]!.valid), "smtp://user:hush@{x}"]) {
      const message = start({ ...everything, [name]: secret });
      if (cases[name]!.valid !== secret) expect(message ?? "", name).not.toContain(secret);
      expect(message ?? "", name).not.toContain("hush");
    }
  }
});

describe("http in APP_URL", () => {
  const http = (APP_URL: string, more: Record<string, string | undefined> = {}) =>
    start({ ...everything, LOCAL_MAILBOX_URL: undefined, APP_URL, ...more });

  it("is for this machine, for the local start, and for development", () => {
    expect(http("http://localhost:3000")).toBeNull();
    expect(http("http://127.0.0.1:3000")).toBeNull();
    expect(http("http://192.0.2.1:3000")).toContain("APP_URL begins with http:");
    expect(http("http://192.0.2.1:3000", { NODE_ENV: "development" })).toBeNull();
    expect(http("http://192.0.2.1:3000", { LOCAL_MAILBOX_URL: "http://127.0.0.1:1" })).toBeNull();
  });
});
