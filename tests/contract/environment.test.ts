import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { ConfigurationError, readEnv } from "~/env.server";

const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
const named = [...example.matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]!);

const complete = {
  APP_URL: "https://dashboard.example.org",
  SESSION_SECRET: "s".repeat(32),
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
    // Node's own, which everything reads.
    read.delete("NODE_ENV");
    expect([...read].sort()).toEqual([...named].sort());
  });

  it("says something about each", () => {
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
    for (const name of ["APP_URL", "SESSION_SECRET", "SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY"]) {
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
  ])("refuses %s=%s", (name, value) => {
    expect(() => readEnv({ ...complete, [name]: value })).toThrow(name);
  });

  it("takes a mail server and a sender together, or neither", () => {
    const mail = { SMTP_URL: "smtp://mail.example.org:587", MAIL_FROM: "Team <hello@example.org>" };
    expect(readEnv(complete).mail).toBeNull();
    expect(readEnv({ ...complete, ...mail }).mail?.from).toBe(mail.MAIL_FROM);
    expect(() => readEnv({ ...complete, SMTP_URL: mail.SMTP_URL })).toThrow("MAIL_FROM is missing");
    expect(() => readEnv({ ...complete, MAIL_FROM: mail.MAIL_FROM })).toThrow("SMTP_URL is missing");
  });

  it("takes a blank value for none", () => {
    expect(() => readEnv({ ...complete, SESSION_SECRET: "  " })).toThrow("SESSION_SECRET is missing");
    expect(readEnv({ ...complete, CONTACT_URL: "" }).contactUrl).toBeNull();
  });
});
