import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, expect, it } from "vitest";

import { roundsOf, recordCalls } from "./calls";

const server = createServer((request, response) => {
  setTimeout(() => response.end(request.url), request.url?.startsWith("/slow") ? 25 : 5);
});
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const ask = async (path: string) => (await fetch(`${origin}${path}`)).text();

it("distinguishes calls that waited for an answer from calls that only came later", async () => {
  const { calls } = await recordCalls(origin, async () => {
    await ask("/session");
    await Promise.all([
      ask("/places"),
      ask("/slow").then(() => ask("/slower")),
      ask("/quick").then(() => ask("/quicker")),
    ]);
  });
  expect(roundsOf(calls)).toEqual([
    "GET /session",
    "GET /places, GET /quick, GET /slow",
    "GET /quicker, GET /slower",
  ]);
});

it("separates the calls of two pieces of work, and ignores other hosts", async () => {
  const [one, other] = await Promise.all([
    recordCalls(origin, () => ask("/one")),
    recordCalls("http://127.0.0.1:1", () => ask("/other")),
  ]);
  expect(roundsOf(one.calls)).toEqual(["GET /one"]);
  expect(other.calls).toEqual([]);
});

it("rejects with the error of the work", async () => {
  const refused = "http://127.0.0.1:1";
  await expect(recordCalls(refused, () => fetch(refused))).rejects.toThrow("fetch failed");
});
