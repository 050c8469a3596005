import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { toSafePath } from "~/http/safe-path.server";

const HERE = "https://dashboard.test";

describe("the path to open after signing in", () => {
  it.each([
    "/",
    "/listings/new",
    "/account?tab=a+b&x=%2F",
    "/listings/7?next=https%3A%2F%2Felsewhere.example",
  ])("can be %s", (path) => {
    expect(toSafePath(path)).toBe(path);
  });

  it.each([
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "https://evil.example/",
    "HTTPS://evil.example",
    "%2f%2fevil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "/..//evil.example",
    "/.//evil.example",
    "/a/..//evil.example",
    "/%2e%2e//evil.example",
    "///evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    " //evil.example",
    "/\u0000/evil.example",
    "listings",
    `/listings?search=${"a".repeat(2_000)}`,
    `/listings?search=${"é".repeat(500)}`,
    "",
    null,
    undefined,
  ])("is the home page instead of %j", (value) => {
    expect(toSafePath(value)).toBe("/");
  });

  it("has no secrets of the URL", () => {
    expect(toSafePath("/listings?token=abc&page=2")).toBe("/listings?page=2");
    expect(toSafePath("/recovery/new?token_hash=abc")).toBe("/recovery/new");
  });

  it("is a path of this site for any value, and stays the same when it is checked again", () => {
    const piece = fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      ":",
      "@",
      "//",
      "%2f",
      "%5c",
      "%2e",
      "\t",
      "\r",
      " ",
      "?",
      "#",
      "https:",
      "evil.example",
      "x",
    );
    const hostile = fc
      .array(fc.oneof(piece, fc.string({ unit: "grapheme", maxLength: 3 })), { maxLength: 8 })
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(
        fc.oneof(
          hostile,
          hostile.map((rest) => `/${rest}`),
          fc.webUrl(),
        ),
        (value) => {
          const path = toSafePath(value);
          expect(path).toMatch(/^\/(?!\/)/);
          expect(new URL(path, HERE).origin).toBe(HERE);
          expect(toSafePath(path)).toBe(path);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
