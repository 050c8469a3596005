/**
 * Security advisories that are open against the pinned versions of Remix and React Router, and why
 * none of them reaches this app. docs/decisions names each one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import remixConfig from "../../remix.config.js";
import { createWorld } from "../support/world";

const world = await createWorld();
const require = createRequire(import.meta.url);

it("has no manifest endpoint that expands a list of paths (CVE-2026-42342, CVE-2026-55685)", async () => {
  expect(remixConfig.future?.v3_lazyRouteDiscovery).toBe(false);
  const paths = Array.from({ length: 500 }, (_, n) => `p=/a/b/c${n}`).join("&");
  expect(await world.anonymous().page(`/__manifest?${paths}`)).toBeNotFound();
});

it("never decodes a turbo-stream on the server (CVE-2026-42211)", async () => {
  const body = `["E","return 1","Function"]\n`;
  const response = await world.anonymous().submit("/login.data", undefined, {
    body,
    headers: { "content-type": "text/x-script; charset=utf-8" },
  });
  expect(response).toHaveStatus(415);

  const node = require.resolve("@remix-run/node");
  const runtime = dirname(createRequire(node).resolve("@remix-run/server-runtime"));
  const decoding = readdirSync(runtime, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js"))
    .filter((file) => /turboStream\.decode\(/.test(readFileSync(join(runtime, file), "utf8")));
  expect(decoding).toEqual([]);
});

it("reflects no more of a posted form than it accepts (CVE-2026-34077)", async () => {
  const response = await world.anonymous().submit("/login.data", {
    email: "x".repeat(600_000),
    password: "p",
  });
  expect(response).toHaveStatus(413);
  expect(response.body.length).toBeLessThan(10_000);
});

it("sends failures to the browser without the name of a constructor (CVE-2026-53666)", async () => {
  for (const path of ["/no-such-page", "/listings/abc"]) {
    const page = await world.anonymous().page(path);
    expect(page.body).not.toContain("__subType");
  }
});

it("navigates only to its own paths (CVE-2026-53669)", () => {
  const sources = import.meta.glob<string>("../../app/**/*.tsx", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const offenders = Object.entries(sources).filter(
    ([, text]) => /\buseNavigate\b/.test(text) || /<(?:Nav)?Link[^>]*\bto="[^"/]/.test(text),
  );
  expect(Object.keys(sources).length).toBeGreaterThan(100);
  expect(offenders.map(([file]) => file)).toEqual([]);
});
