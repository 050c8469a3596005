import { createCookie } from "@remix-run/node";
import { describe, expect, it } from "vitest";

import { APP_URL, configure } from "./configure";

configure();
const cookies = await import("~/http/cookies.server");
const { expireCookie, readCookie, sessionCookie } = cookies;
const { env } = await import("~/env.server");
const { serializeSession } = await import("~/http/session.server");

const tokens = { accessToken: "a.b.c", refreshToken: "r", expiresAt: 2_000_000_000 };
const requestWith = (cookie: string) => new Request(APP_URL, { headers: { Cookie: cookie } });

describe("the session cookie", () => {
  it("is bound to this host over https, hidden from scripts, and not sent with other sites’ forms", async () => {
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

  it("fits into 4 KB with the longest tokens that Supabase issues", async () => {
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
    ["signed with an empty signature", (value: string) => `${value.split(".")[0]!}.`],
    ["an incomplete percent encoding", () => "%E0%A4%A"],
    ["a megabyte long", () => "a".repeat(1_000_000)],
  ])("is rejected when it is %s", async (_, change) => {
    const [pair] = (await serializeSession(tokens)).split("; ");
    const at = pair!.indexOf("=");
    const value = await readCookie(
      sessionCookie(),
      requestWith(`__Host-session=${change(pair!.slice(at + 1))}`),
    );
    expect(value).toBeNull();
  });
});

describe("the signature of a cookie", () => {
  const every = Object.entries(cookies).flatMap(([name, make]) =>
    name.endsWith("Cookie") && !["readCookie", "expireCookie"].includes(name)
      ? [{ name, cookie: (make as typeof sessionCookie)() }]
      : [],
  );
  const withName = (line: string, name: string) =>
    requestWith(`${name}=${line.slice(line.indexOf("=") + 1).split(";")[0]}`);

  it.each(every)("of $name is of no use as that of another", async ({ cookie }) => {
    expect(every.length).toBeGreaterThan(10);
    const line = await cookie.serialize({ a: "x" });
    for (const other of every)
      expect(await readCookie(other.cookie, withName(line, other.cookie.name)), other.name).toEqual(
        other.cookie.name === cookie.name ? { a: "x" } : null,
      );
  });

  it("is none when it was made with the secret itself", async () => {
    const earlier = createCookie("x", { secrets: [env().sessionSecret] });
    for (const { cookie } of every)
      expect(
        await readCookie(cookie, withName(await earlier.serialize("y"), cookie.name)),
      ).toBeNull();
  });
});
