import { describe, expect, it } from "vitest";

import { configure } from "./configure";

configure({ LOG_LEVEL: "info" });
const { createLog, redactSecrets } = await import("~/http/log.server");

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

describe("redactSecrets", () => {
  it.each([
    [`bad token ${JWT} given`, JWT],
    ["GET http://127.0.0.1/auth/v1/verify?token_hash=pkce_s3cret&type=email", "s3cret"],
    ["http://dashboard.test/listings?token=s3cret", "s3cret"],
    ['{"refresh_token":"s3cret","x":1}', "s3cret"],
    ["Authorization: Bearer s3cret", "s3cret"],
    ["cookie=s3cret; other", "s3cret"],
    ['password: "s3cret"', "s3cret"],
    ["Key (email)=(zoe.o'hara@example.test) already exists.", "hara@example"],
    ['Email address "jane.doe/queer=x@example.test" is invalid', "jane"],
    ["GET /users?query=jane.doe%40example.test", "jane"],
    ["connect postgres://app:s3cret@db.example.test/postgres", "s3cret"],
    ["refused +1 (415) 555-2671", "555"],
    ["key sb_secret_abc-DEF_123", "abc-DEF"],
  ])("removes the secret from %s", (text, secret) => {
    expect(redactSecrets(text)).not.toContain(secret);
  });

  it("preserves the rest of the text", () => {
    const text = 'duplicate key value violates unique constraint "places_submission" (23505)';
    expect(redactSecrets(text)).toBe(text);
    const stack = "TypeError: x is not a function\n    at save (/srv/app/listing.server.ts:123:45)";
    expect(redactSecrets(stack)).toBe(stack);
  });

  it("takes time in proportion to the length of the text, however odd it is", () => {
    for (const piece of ["a", "1 ", "1(", "a@", "@", "eyJ.", "token", "token=", "-eyJ"]) {
      const started = performance.now();
      // A fifth of a second; a pattern that looks at each pair of characters would take hours.
      redactSecrets(piece.repeat(1_000_000 / piece.length));
      expect(performance.now() - started, piece).toBeLessThan(60_000);
    }
  });
});

describe("an object in the log", () => {
  it("is logged without tokens, passwords, cookies, and contact details, up to two levels deep", () => {
    const lines: string[] = [];
    const log = createLog({ write: (line: string) => void lines.push(line) });
    const secrets = Object.fromEntries(
      [
        "email",
        "phone",
        "password",
        "confirm_password",
        "token",
        "token_hash",
        "access_token",
        "refresh_token",
        "accessToken",
        "refreshToken",
        "csrf",
        "cookie",
        "set-cookie",
        "authorization",
        "apikey",
      ].map((name) => [name, "s3cret"]),
    );
    log.info({ ...secrets, requestId: "r-1" }, "flat");
    log.info({ session: secrets, headers: { ...secrets } }, "one down");
    log.info({ a: { tokens: secrets } }, "two down");
    expect(lines).toHaveLength(3);
    expect(lines.join("")).not.toContain("s3cret");
    expect(JSON.parse(lines[0]!)).toMatchObject({
      requestId: "r-1",
      msg: "flat",
      email: "[redacted]",
    });
  });
});
