import { createServer } from "node:http";

import { expect, it } from "vitest";

import { keepConnections } from "~/http/guard-server.server";

it("connections stay open for longer than those of common proxies, and heads may take longer than that", () => {
  const server = createServer();
  keepConnections(server);
  expect(server.keepAliveTimeout).toBeGreaterThan(60_000);
  expect(server.headersTimeout).toBeGreaterThan(server.keepAliveTimeout);
  expect(server.requestTimeout).toBeGreaterThan(server.headersTimeout);
});
