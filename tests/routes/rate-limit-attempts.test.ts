import { http, passthrough } from "msw";
import { describe, expect, it } from "vitest";

import { outside } from "../support/outside";
import { createWorld } from "../support/world";

const world = await createWorld({ env: { TRUSTED_IP_HEADER: "CF-Connecting-IP" } });
const { enforceRateLimit, getClientNetwork } = await import("~/http/rate-limit.server");
const { findForwardedAddress, toNetwork } = await import("~/http/client-address.server");

const LIMIT = { name: "doorbell", max: 3, windowSeconds: 600 };
const attempt = (...key: string[]) =>
  enforceRateLimit(LIMIT, ...key).then(
    () => "in",
    (error: { status: number; headers: Record<string, string> }) => error,
  );

describe("a rate limit", () => {
  it("allows its number of attempts for each key, then says how long to wait", async () => {
    const first = [
      await attempt("10.0.0.1", "a"),
      await attempt("10.0.0.1", "a"),
      await attempt("10.0.0.1", "a"),
    ];
    expect(first).toEqual(["in", "in", "in"]);
    const refused = (await attempt("10.0.0.1", "a")) as {
      status: number;
      headers: Record<string, string>;
    };
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["Retry-After"])).toSatisfy(
      (seconds: number) => seconds > 0 && seconds <= 600,
    );
    expect(await attempt("10.0.0.2", "a")).toBe("in");
    expect(await attempt("10.0.0.1", "b")).toBe("in");
    expect(await attempt("10.0.0.1\na")).not.toBe(refused);
  });

  it("holds for simultaneous attempts", async () => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => attempt("crowd")));
    expect(outcomes.filter((outcome) => outcome === "in")).toHaveLength(3);
  });

  it("sends the database neither IP addresses nor email addresses", async () => {
    const sent: string[] = [];
    outside.use(
      http.post(`${world.supabase.url}/rest/v1/rpc/take_rate_token`, async ({ request }) => {
        sent.push(await request.clone().text());
        return passthrough();
      }),
    );
    const person = world.anonymous();
    await person.post("/login", { email: "zoe@example.test", password: "not hers at all" });
    expect(sent).toHaveLength(3);
    for (const body of sent) {
      const { bucket } = JSON.parse(body) as { bucket: string };
      expect(bucket).toMatch(/^login(-visitor|-all)?:[\w-]{43}$/);
    }
  });

  it("is shown on the form's page with the time to wait, and the email address stays filled in", async () => {
    const person = world.anonymous();
    const form = { email: "owner@example.test", password: "guess guess" };
    let page = await person.submit("/login", form);
    for (let i = 0; i < 12 && page.status !== 429; i++) page = await person.submit("/login", form);
    expect(page).toHaveStatus(429);
    expect(Number(page.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(page).toSay("Too many attempts. Please wait 15 minutes and try again.");
    expect(page.value("email")).toBe(form.email);
    expect(page.body).not.toContain(form.password);
  });
});

describe("a client", () => {
  const from = (headers: Record<string, string>) =>
    getClientNetwork(new Request("https://dashboard.test", { headers }));

  it("is identified by the trusted proxy’s header or else by the connection", () => {
    expect(from({ "cf-connecting-ip": "203.0.113.9", "x-dashboard-peer": "10.0.0.1" })).toBe(
      "203.0.113.9",
    );
    expect(
      from({
        "x-dashboard-peer": "10.0.0.1",
        "x-forwarded-for": "203.0.113.9",
        "x-real-ip": "203.0.113.9",
      }),
    ).toBe("10.0.0.1");
    expect(from({})).toBe("unknown");
  });

  it("can’t choose its network by what it sends under the header’s name", () => {
    const peer = { "x-dashboard-peer": "10.0.0.1" };
    for (const claim of ["198.51.100.7", "2001:db8::1", "unknown", " ", "x".repeat(8_000)])
      expect(from({ ...peer, "cf-connecting-ip": `${claim}, 203.0.113.9` })).toBe("203.0.113.9");
    for (const garbage of ["unknown", "203.0.113.9, _hidden", "203.0.113.9,", "1.2.3", "' or 1=1"])
      expect(from({ ...peer, "cf-connecting-ip": garbage })).toBe("10.0.0.1");
  });

  it.each([
    ["203.0.113.9", 1, "203.0.113.9"],
    ["198.51.100.7, 203.0.113.9", 1, "203.0.113.9"],
    ["198.51.100.7,203.0.113.9, 10.0.0.4", 2, "203.0.113.9"],
    ["198.51.100.7, 203.0.113.9, 10.0.0.5, 10.0.0.4", 3, "203.0.113.9"],
    ["198.51.100.7, 203.0.113.9:61234", 1, "203.0.113.9"],
    ["198.51.100.7, [2001:db8::9]:61234", 1, "2001:db8::9"],
    ["2001:db8::9", 1, "2001:db8::9"],
    ["203.0.113.9", 2, null],
    ["", 1, null],
    ["for=203.0.113.9", 1, null],
    ["203.0.113.9, nonsense", 1, null],
  ])(
    "behind proxies that pass %j, %i of them ours, has the address %s",
    (header, proxies, address) => {
      expect(findForwardedAddress(header, proxies)).toBe(address);
    },
  );

  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["::FFFF:cb00:7109", "203.0.113.9"],
    ["0:0:0:0:0:ffff:cb00:7109", "203.0.113.9"],
    ["64:ff9b:1::203.0.113.9", "64:ff9b:1:0::"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
    ["2001:0DB8:0001:0002::1", "2001:db8:1:2::"],
    ["2001:db8::1", "2001:db8:0:0::"],
    ["fe80::1%eth0", "fe80:0:0:0::"],
    ["::1", "0:0:0:0::"],
    ["no address", "no address"],
  ])("with the address %s belongs to the network %s", (address, network) => {
    expect(toNetwork(address)).toBe(network);
  });

  it("stays in its network when it changes the second half of its IPv6 address", () => {
    expect(toNetwork("2001:db8:1:2:aaaa::1")).toBe(toNetwork("2001:db8:1:2:bbbb:cccc:dddd:eeee"));
    expect(toNetwork("2001:db8:1:3::1")).not.toBe(toNetwork("2001:db8:1:2::1"));
  });
});
