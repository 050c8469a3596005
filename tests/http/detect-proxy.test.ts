import { beforeEach, describe, expect, it, vi } from "vitest";

import { configure } from "./configure";

const VISITORS = ["203.0.113.9", "203.0.113.10"] as const;

beforeEach(() => vi.resetModules());

/** Notices requests in a new process. @returns how many warnings were logged, and the warning */
async function notice(
  requests: [headers: Record<string, string>, peer: string][],
  environment: Record<string, string> = {},
) {
  configure({ TRUSTED_IP_HEADER: "", TRUSTED_PROXIES: "", ...environment });
  const { log } = await import("~/http/log.server");
  const { getProxyWarning, noticeProxy } = await import("~/http/detect-proxy.server");
  const warn = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
  for (const [headers, peer] of requests) noticeProxy(headers, peer);
  return { logged: warn.mock.calls.length, warning: getProxyWarning() };
}

describe("a proxy is noticed, once, when TRUSTED_IP_HEADER is not set", () => {
  it.each([
    ["127.0.0.1", "x-forwarded-for"],
    ["::ffff:10.0.0.7", "x-real-ip"],
    ["172.20.0.2", "cf-connecting-ip"],
    ["fd00::1", "forwarded"],
    ["::1", "x-forwarded-for"],
  ])("by a forwarded header from a private address: %s, %s", async (peer, header) => {
    const { logged, warning } = await notice([
      [{ [header]: VISITORS[0] }, peer],
      [{ [header]: VISITORS[1] }, peer],
    ]);
    expect(logged).toBe(1);
    expect(warning).toContain("TRUSTED_IP_HEADER is not set");
  });

  it("by one peer that forwards for different visitors", async () => {
    const peer = "198.51.100.7";
    const { logged } = await notice([
      [{ "x-forwarded-for": VISITORS[0] }, peer],
      [{ "x-forwarded-for": VISITORS[1] }, peer],
    ]);
    expect(logged).toBe(1);
  });
});

describe("a header without an address at its place is noticed, once", () => {
  it.each([
    ["x-forwarded-for", "203.0.113.9, unknown", {}],
    ["x-forwarded-for", "203.0.113.9", { TRUSTED_PROXIES: "2" }],
    ["forwarded", "for=203.0.113.9", {}],
  ])("%s: %s", async (header, value, settings) => {
    const request: [Record<string, string>, string] = [{ [header]: value }, "127.0.0.1"];
    const { logged, warning } = await notice([request, request], {
      TRUSTED_IP_HEADER: header,
      ...settings,
    });
    expect(logged).toBe(1);
    expect(warning).toContain("TRUSTED_IP_HEADER has no IP address");
  });
});

it("notices, once, that the address at its place is a proxy’s own, with the visitor’s before it", async () => {
  const request: [Record<string, string>, string] = [
    { "x-forwarded-for": "198.51.100.7, 203.0.113.9, 10.0.0.1" },
    "10.0.0.1",
  ];
  const settings = { TRUSTED_IP_HEADER: "X-Forwarded-For" };
  const { logged, warning } = await notice([request, request], settings);
  expect(logged).toBe(1);
  expect(warning).toContain("has a private address, and a public one before it");
  vi.resetModules();
  const counted = await notice([request], { ...settings, TRUSTED_PROXIES: "2" });
  expect(counted.warning).toBeNull();
});

it("notices, once, a proxy that sends another header than TRUSTED_IP_HEADER names", async () => {
  const request: [Record<string, string>, string] = [
    { "x-forwarded-for": VISITORS[0] },
    "10.0.0.7",
  ];
  const { logged, warning } = await notice([request, request], {
    TRUSTED_IP_HEADER: "CF-Connecting-IP",
  });
  expect(logged).toBe(1);
  expect(warning).toContain("without the header that TRUSTED_IP_HEADER names");
});

describe("no proxy is noticed", () => {
  it.each<[string, [Record<string, string>, string][]]>([
    ["without a forwarded header", [[{ host: "localhost" }, "127.0.0.1"]]],
    [
      "when a visitor sends one themselves",
      [
        [{ "x-forwarded-for": VISITORS[0] }, "198.51.100.7"],
        [{ "x-forwarded-for": VISITORS[0] }, "198.51.100.7"],
        [{ "x-forwarded-for": VISITORS[1] }, "198.51.100.8"],
      ],
    ],
  ])("%s", async (_, requests) => {
    expect(await notice(requests)).toEqual({ logged: 0, warning: null });
  });

  it("when TRUSTED_IP_HEADER is set", async () => {
    const requests: [Record<string, string>, string][] = [
      [{ "x-forwarded-for": VISITORS[0] }, "127.0.0.1"],
    ];
    expect(await notice(requests, { TRUSTED_IP_HEADER: "X-Forwarded-For" })).toEqual({
      logged: 0,
      warning: null,
    });
  });
});
