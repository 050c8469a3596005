import { describe, expect, it } from "vitest";

import { APP_URL, configure } from "./configured";

configure();
const { expireCookie, readCookie, sessionCookie } = await import("~/http/cookies.server");
const { serializeSession } = await import("~/http/session.server");

const tokens = { accessToken: "a.b.c", refreshToken: "r", expiresAt: 2_000_000_000 };
const arriving = (cookie: string) => new Request(APP_URL, { headers: { Cookie: cookie } });

describe("the session cookie", () => {
  it("is limited to this host and https, hidden from scripts, and not sent with forms of other sites", async () => {
    const attributes = (await serializeSession(tokens)).split("; ");
    expect(attributes[0]).toMatch(/^__Host-session=/);
    expect(attributes.slice(1).sort()).toEqual([
      "HttpOnly",
      "Max-Age=2592000",
      "Path=/",
      "SameSite=Lax",
      "Secure",
    ]);
    expect(await expireCookie(sessionCookie())).toMatch(/^__Host-session=.*Max-Age=0.*Secure/);
  });

  it("fits in a browser with the longest tokens of Supabase", async () => {
    const long = await serializeSession({
      ...tokens,
      accessToken: "x".repeat(2_400),
      refreshToken: "y".repeat(100),
    });
    expect(long.length).toBeLessThan(4_096);
  });

  it.each([
    [
      "changed by one character",
      (value: string) => value.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
    ],
    ["cut short", (value: string) => value.slice(0, -10)],
    ["without its signature", (value: string) => value.split(".")[0]!],
    ["signed with nothing", (value: string) => `${value.split(".")[0]!}.`],
    ["of half a percent sign", () => "%E0%A4%A"],
    ["of megabytes", () => "a".repeat(1_000_000)],
  ])("is rejected when it is %s", async (_, change) => {
    const [pair] = (await serializeSession(tokens)).split("; ");
    const at = pair!.indexOf("=");
    const kept = await readCookie(
      sessionCookie(),
      arriving(`__Host-session=${change(pair!.slice(at + 1))}`),
    );
    expect(kept).toBeNull();
  });
});
