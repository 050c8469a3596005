import { describe, expect, it } from "vitest";

import { prepareRequest, readSecretParam } from "~/http/prepare-request.server";

/** A request after it was prepared. */
function prepared(
  url: string,
  options: { method?: string; headers?: Record<string, string>; address?: string } = {},
) {
  const request = {
    url,
    method: options.method ?? "GET",
    headers: { ...options.headers },
    socket: { remoteAddress: options.address ?? "10.0.0.7" },
  };
  prepareRequest(request as unknown as Parameters<typeof prepareRequest>[0]);
  return request as typeof request & { headers: Record<string, string | undefined> };
}
const asSeenByRoutes = ({ url, headers }: ReturnType<typeof prepared>) =>
  new Request(new URL(url, "https://dashboard.test"), {
    headers: headers as Record<string, string>,
  });

describe("a secret in the URL", () => {
  it.each([
    ["/listings?token=s3cret", "/listings", "token"],
    ["/listings?page=2&token=s3cret&x=%2F", "/listings?page=2&x=%2F", "token"],
    ["/recovery/new?token_hash=s3cret", "/recovery/new", "token_hash"],
    ["/listings.data?token=s3cret&_routes=root", "/listings.data?_routes=root", "token"],
    ["/listings?%74oken=s3cret", "/listings", "token"],
    ["/listings?%74oken=s3cret&x=%", "/listings?x=%25", "token"],
    ["/listings?token=first&token=s3cret", "/listings", "token"],
    ["http://dashboard.test/listings?token=s3cret", "http://dashboard.test/listings", "token"],
  ] as const)("is removed before it can be logged: %s", (url, left, name) => {
    const request = prepared(url);
    expect(request.url).toBe(left);
    expect(readSecretParam(asSeenByRoutes(request), name)).toMatch(/s3cret|first/);
  });

  it.each(["a b+c/d=", "é🏳️‍🌈", "%00", "x".repeat(5_000), ""])(
    "is passed on unchanged: %j",
    (secret) => {
      expect(
        readSecretParam(asSeenByRoutes(prepared(`/?token=${encodeURIComponent(secret)}`)), "token"),
      ).toBe(secret);
    },
  );

  it.each(["/listings?q=a%20b&tokens=1", "/listings?mytoken=1&x=+", "/listings", "/listings?"])(
    "is not found where there is none: %s",
    (url) => {
      const request = prepared(url);
      expect(request.url).toBe(url);
      expect(readSecretParam(asSeenByRoutes(request), "token")).toBeNull();
    },
  );
});

describe("an internal header", () => {
  const forged = {
    "x-dashboard-token": "forged",
    "x-dashboard-token-hash": "forged",
    "x-dashboard-origin": "https://dashboard.test",
    "x-dashboard-peer": "127.0.0.1",
    "x-request-id": "forged",
    "x-forwarded-host": "evil.example",
  };

  it.each(["GET", "POST"])("is replaced when a client sends it (%s)", (method) => {
    const { headers } = prepared("/", { method, headers: forged, address: "203.0.113.9" });
    expect(headers).toEqual({
      "x-dashboard-peer": "203.0.113.9",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });

  it("has a different id for each request", () => {
    expect(prepared("/").headers["x-request-id"]).not.toBe(prepared("/").headers["x-request-id"]);
  });
});

describe("the origin of a form", () => {
  it("is hidden from Remix, which would answer another site's origin with a bare 500", () => {
    const { headers } = prepared("/login", {
      method: "POST",
      headers: { origin: "https://evil.example" },
    });
    expect(headers["origin"]).toBeUndefined();
    expect(headers["x-dashboard-origin"]).toBe("https://evil.example");
  });

  it("is not changed for requests that only read", () => {
    expect(prepared("/", { headers: { origin: "https://evil.example" } }).headers["origin"]).toBe(
      "https://evil.example",
    );
  });
});
