import { describe, expect, it } from "vitest";

import { readEnv } from "~/env.server";

const complete = {
  APP_URL: "https://dashboard.example.org",
  SESSION_SECRET: "a secret for tests, of 32 and more characters",
  SUPABASE_URL: "https://project.supabase.example/",
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x",
  SUPABASE_SECRET_KEY: "sb_secret_x",
};

const jwt = (payload: object) =>
  ["eyJhbGciOiJIUzI1NiJ9", Buffer.from(JSON.stringify(payload)).toString("base64url"), "hush"].join(
    ".",
  );

describe("a key of the Supabase project", () => {
  const kinds = {
    publishable: ["sb_publishable_hush", jwt({ role: "anon", ref: "project" })],
    secret: ["sb_secret_hush", jwt({ role: "service_role", ref: "project" })],
  };
  const neither = [
    "hush",
    "a.hush.c",
    "sb_hush",
    "sb_secret_",
    jwt({ role: "authenticated" }),
    jwt({}),
  ];
  const read = (publishable: string, secret: string) => () =>
    readEnv({
      ...complete,
      SUPABASE_PUBLISHABLE_KEY: publishable,
      SUPABASE_SECRET_KEY: secret,
    });

  it.each(kinds.publishable.flatMap((one) => kinds.secret.map((other) => [one, other] as const)))(
    "is accepted as a new key or as a JWT with its role: %s, %s",
    (publishable, secret) => {
      expect(read(publishable, secret)).not.toThrow();
    },
  );

  it.each([...kinds.secret, ...neither])("is not the publishable one: %s", (key) => {
    expect(read(key, "sb_secret_x")).toThrow("SUPABASE_PUBLISHABLE_KEY");
    expect(read(key, "sb_secret_x")).not.toThrow(/hush/);
  });

  it.each([...kinds.publishable, ...neither])("is not the secret one: %s", (key) => {
    expect(read("sb_publishable_x", key)).toThrow("SUPABASE_SECRET_KEY");
    expect(read("sb_publishable_x", key)).not.toThrow(/hush/);
  });

  it("is identified by its kind when the two are swapped", () => {
    const swapped = read(jwt({ role: "service_role" }), jwt({ role: "anon" }));
    expect(swapped).toThrow("SUPABASE_PUBLISHABLE_KEY holds a secret key");
    expect(swapped).toThrow("SUPABASE_SECRET_KEY holds a publishable key");
  });
});

describe("an invalid configuration", () => {
  it.each([
    [{ LOG_LEVEL: "verbose" }, "LOG_LEVEL"],
    [{ METRICS_PORT: "http" }, "METRICS_PORT"],
    [{ METRICS_PORT: "70000" }, "METRICS_PORT"],
    [{ METRICS_PORT: "3000", PORT: "3000" }, "METRICS_PORT"],
    [{ STOP_SECONDS: "soon" }, "STOP_SECONDS"],
    [{ STOP_SECONDS: "0" }, "STOP_SECONDS"],
    [{ TRUSTED_IP_HEADER: "X Real IP" }, "TRUSTED_IP_HEADER"],
    [{ TRUSTED_PROXIES: "0" }, "TRUSTED_PROXIES"],
    [{ TRUSTED_PROXIES: "all" }, "TRUSTED_PROXIES"],
    [{ TRUSTED_COUNTRY_HEADER: "CF-IPCountry:" }, "TRUSTED_COUNTRY_HEADER"],
    [{ APP_URL: "https://example.org/dashboard" }, "APP_URL"],
    [{ ADMIN_TOOL_URL: "javascript:alert(1)" }, "ADMIN_TOOL_URL"],
    [{ ADMIN_TOOL_URL: "https://dashboard.example.org/tool" }, "ADMIN_TOOL_URL"],
    [{ SUPABASE_PUBLISHABLE_KEY: "sb_secret_x" }, "SUPABASE_PUBLISHABLE_KEY"],
    [
      { SUPABASE_PUBLISHABLE_KEY: "legacy", SUPABASE_SECRET_KEY: "legacy" },
      "SUPABASE_PUBLISHABLE_KEY",
    ],
    [{ SUPABASE_SECRET_KEY: "sb_publishable_x" }, "SUPABASE_SECRET_KEY"],
    [{ STRIPE_TAX: "yes" }, "STRIPE_TAX is neither automatic nor empty"],
    [{ TERMS_URL: "javascript:alert(1)" }, "TERMS_URL"],
    [{ CAPTCHA_PROVIDER: "turnstile" }, "CAPTCHA_SITE_KEY is missing"],
    [{ CAPTCHA_PROVIDER: "other", CAPTCHA_SITE_KEY: "x" }, "CAPTCHA_PROVIDER"],
    [{ CAPTCHA_PROVIDER: "hcaptcha", CAPTCHA_SITE_KEY: '"><script>' }, "CAPTCHA_SITE_KEY"],
  ])("is rejected: %j", (changes, name) => {
    expect(() => readEnv({ ...complete, ...changes })).toThrow(name);
  });

  it("is reported completely: everything missing and everything malformed", () => {
    const attempt = () =>
      readEnv({
        ...complete,
        APP_URL: undefined,
        SUPABASE_URL: "ftp://x",
        LOG_LEVEL: "loud",
        SESSION_SECRET: "short",
      });
    for (const name of [
      "APP_URL is missing",
      "SUPABASE_URL is not",
      "LOG_LEVEL is not one of",
      "SESSION_SECRET is shorter",
    ]) {
      expect(attempt).toThrow(name);
    }
  });

  it("is reported without its secrets", () => {
    let message = "";
    try {
      readEnv({
        ...complete,
        SESSION_SECRET: "hush",
        SUPABASE_SECRET_KEY: "sb_publishable_hush",
        APP_URL: "",
      });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain("SESSION_SECRET");
    expect(message).not.toContain("hush");
  });

  it.each([
    [undefined, false],
    ["", false],
    ["automatic", true],
  ])("adds tax with STRIPE_TAX=%s: %s", (STRIPE_TAX, taxIsAdded) => {
    expect(readEnv({ ...complete, STRIPE_TAX })).toMatchObject({ taxIsAdded });
  });

  it("has no metrics unless a port is set, and serves them to this machine alone then", () => {
    expect(readEnv(complete)).toMatchObject({ metrics: null, stopSeconds: 10 });
    expect(readEnv({ ...complete, METRICS_PORT: "9464", STOP_SECONDS: "8.5" })).toMatchObject({
      metrics: { host: "127.0.0.1", port: 9464 },
      stopSeconds: 8.5,
    });
    expect(
      readEnv({ ...complete, METRICS_PORT: "9464", METRICS_HOST: "0.0.0.0" }).metrics?.host,
    ).toBe("0.0.0.0");
  });

  it("is normalized when it is valid: origins without a slash, header names in lower case", () => {
    expect(
      readEnv({
        ...complete,
        APP_URL: "https://dashboard.example.org/",
        TRUSTED_IP_HEADER: "CF-Connecting-IP",
        LOG_LEVEL: "warn",
      }),
    ).toMatchObject({
      appUrl: "https://dashboard.example.org",
      supabaseUrl: "https://project.supabase.example",
      trustedIpHeader: "cf-connecting-ip",
      logLevel: "warn",
    });
  });
});
