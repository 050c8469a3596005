import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { ConfigurationError, readEnv } from "~/env.server";

import { readEnvFile } from "../../scripts/production.mjs";

const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
const named = [...example.matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]!);

const complete = {
  APP_URL: "https://dashboard.example.org",
  SESSION_SECRET: "a secret for tests, of 32 and more characters",
  SUPABASE_URL: "https://project.supabase.example",
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x",
  SUPABASE_SECRET_KEY: "sb_secret_x",
};

describe(".env.example", () => {
  it("names exactly the variables that the app reads", () => {
    const read = new Set<string>();
    readEnv(
      new Proxy<Record<string, string>>(complete, {
        get(source, name: string) {
          read.add(name);
          return source[name];
        },
      }),
    );
    // A variable of Node, which all packages read.
    read.delete("NODE_ENV");
    expect([...read].sort()).toEqual([...named].sort());
  });

  it("explains each", () => {
    for (const name of named) {
      const before = example.slice(0, example.indexOf(`\n${name}=`)).split("\n");
      const comment = before.reverse().find((line) => line.startsWith("#"));
      expect(comment?.length, name).toBeGreaterThan(20);
    }
  });
});

describe("the configuration", () => {
  it("is complete with the required variables", () => {
    expect(readEnv(complete).appUrl).toBe("https://dashboard.example.org");
  });

  it("names every missing variable at once", () => {
    const attempt = () => readEnv({ SUPABASE_URL: complete.SUPABASE_URL });
    expect(attempt).toThrow(ConfigurationError);
    for (const name of [
      "APP_URL",
      "SESSION_SECRET",
      "SUPABASE_PUBLISHABLE_KEY",
      "SUPABASE_SECRET_KEY",
    ]) {
      expect(attempt).toThrow(`${name} is missing`);
    }
    expect(attempt).not.toThrow("SUPABASE_URL is missing");
  });

  it.each([
    ["APP_URL", "dashboard.example.org"],
    ["APP_URL", "javascript:alert(1)"],
    ["SUPABASE_URL", "not an address"],
    ["SESSION_SECRET", "too short"],
    ["DIRECTORY_LISTING_URL", "https://map.example.org/place/"],
    ["CONTACT_URL", "javascript:alert(1)"],
    ["SMTP_URL", "https://mail.example.org"],
    ["MAIL_FROM", "not an address"],
  ])("rejects %s=%s", (name, value) => {
    expect(() => readEnv({ ...complete, [name]: value })).toThrow(name);
  });

  it("requires a mail server and a sender together, or neither", () => {
    const mail = { SMTP_URL: "smtp://mail.example.org:587", MAIL_FROM: "Team <hello@example.org>" };
    expect(readEnv(complete).mail).toBeNull();
    expect(readEnv({ ...complete, ...mail }).mail?.from).toBe(mail.MAIL_FROM);
    expect(() => readEnv({ ...complete, SMTP_URL: mail.SMTP_URL })).toThrow("MAIL_FROM is missing");
    expect(() => readEnv({ ...complete, MAIL_FROM: mail.MAIL_FROM })).toThrow(
      "SMTP_URL is missing",
    );
  });

  it("requires Stripe’s key and webhook secret together, of the right kinds, and accepts no other host for them", () => {
    const keys = { STRIPE_SECRET_KEY: "rk_live_1", STRIPE_WEBHOOK_SECRET: "whsec_1" };
    expect(readEnv(complete).stripe).toBeNull();
    expect(readEnv({ ...complete, ...keys }).stripe).toEqual({
      secretKey: "rk_live_1",
      webhookSecret: "whsec_1",
      apiUrl: null,
    });
    expect(() => readEnv({ ...complete, STRIPE_SECRET_KEY: "rk_live_1" })).toThrow(
      "STRIPE_WEBHOOK_SECRET is missing",
    );
    expect(() => readEnv({ ...complete, STRIPE_WEBHOOK_SECRET: "whsec_1" })).toThrow(
      "STRIPE_SECRET_KEY is missing",
    );
    expect(() => readEnv({ ...complete, ...keys, STRIPE_SECRET_KEY: "pk_live_1" })).toThrow(
      "STRIPE_SECRET_KEY is not a secret key",
    );
    expect(() => readEnv({ ...complete, ...keys, STRIPE_WEBHOOK_SECRET: "rk_live_1" })).toThrow(
      "STRIPE_WEBHOOK_SECRET is not a signing secret",
    );
    expect(() =>
      readEnv({ ...complete, ...keys, STRIPE_API_URL: "https://stripe.evil.example" }),
    ).toThrow("STRIPE_API_URL is not an address of this machine");
    expect(
      readEnv({ ...complete, ...keys, STRIPE_API_URL: "http://127.0.0.1:4242/" }).stripe?.apiUrl,
    ).toBe("http://127.0.0.1:4242");
  });

  it("accepts the ids of accounts with a price of their own", () => {
    const [user, coupon] = ["5EED0000-0000-4000-9000-000000000001", { JOB_COUPON: "team" }];
    expect(readEnv({ ...complete, JOB_COUPON_USER: user, ...coupon }).jobCoupon).toEqual({
      userId: user.toLowerCase(),
      coupon: "team",
    });
    expect(() => readEnv({ ...complete, ...coupon })).toThrow("JOB_COUPON_USER is missing");
    expect(() => readEnv({ ...complete, JOB_COUPON_USER: "admin@example.org", ...coupon })).toThrow(
      "JOB_COUPON_USER is not the id of an account",
    );
    expect(() => readEnv({ ...complete, JOB_PRICE_HIDDEN_USER: "somebody" })).toThrow(
      "JOB_PRICE_HIDDEN_USER is not the id of an account",
    );
  });

  it("treats a blank value as missing", () => {
    expect(() => readEnv({ ...complete, SESSION_SECRET: "  " })).toThrow(
      "SESSION_SECRET is missing",
    );
    expect(readEnv({ ...complete, CONTACT_URL: "" }).contactUrl).toBeNull();
  });

  it("is read whole from a file that begins with a byte order mark, and leaves what is set already", () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("FIRST_SETTING", undefined);
    vi.stubEnv("SECOND_SETTING", "of the shell");
    const file = join(mkdtempSync(join(tmpdir(), "settings-")), ".env");
    writeFileSync(file, "\uFEFFFIRST_SETTING=1\nSECOND_SETTING=2\n");

    readEnvFile(file);

    expect(process.env["FIRST_SETTING"]).toBe("1");
    expect(process.env["SECOND_SETTING"]).toBe("of the shell");
  });
});
