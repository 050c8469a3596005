import { defineConfig } from "playwright/test";

import type { RunOptions } from "../e2e/journey";
import { eachMissingScript } from "../e2e/missing-scripts";
import type { Way } from "../e2e/ways";
import { findWebKit } from "../support/browser";

const { JOURNEYS_WAY = "on" } = process.env;

const webkit = findWebKit();
if ("missing" in webkit) console.log(`Skipped: ${webkit.missing}.`);

/** Journeys in an installed WebKitGTK, for which Playwright has no driver: `npm run journeys -- --engine webkit`. */
export default defineConfig<RunOptions>({
  testDir: ".",
  ...("missing" in webkit && { testIgnore: "**" }),
  outputDir: "../../test-results/webkit",
  ...("driver" in webkit && { globalSetup: "./start-app.ts" }),
  // Each listens at the address of the app.
  workers: 1,
  retries: 0,
  // As in the other journeys: these end a test that hangs.
  timeout: 15 * 60_000,
  expect: { toPass: { timeout: 60_000 } },
  forbidOnly: true,
  reporter: "list",
  projects:
    JOURNEYS_WAY === "missing"
      ? eachMissingScript().map(({ script, file, title }) => ({
          name: `without ${script}`,
          testMatch: `**/${file}`,
          grep: new RegExp(`${title.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")}$`),
          use: { way: "missing" as const, missing: script },
        }))
      : [{ name: `script-${JOURNEYS_WAY}`, use: { way: JOURNEYS_WAY as Way } }],
});
