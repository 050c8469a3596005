import { defineConfig } from "playwright/test";

import type { RunOptions } from "./tests/e2e/journey";
import { eachMissingScript } from "./tests/e2e/missing-scripts";
import { atNightTag, type Way } from "./tests/e2e/ways";
import { findBrowser } from "./tests/support/browser";

const browser = await findBrowser();

const { JOURNEYS_WAY, JOURNEYS_EACH_RUN } = process.env;

const inWay = (way: Way) => ({
  name: `script-${way}`,
  use: { way, javaScriptEnabled: way !== "off" },
  // Some journeys run in one way in each run of `npm test`, and in both at night or by hand.
  ...(JOURNEYS_EACH_RUN && { grepInvert: new RegExp(atNightTag(way)) }),
});

/**
 * Journeys run with script and without, since the product must work without it exactly as with it. `npm run journeys`
 * runs them in the other ways.
 */
export default defineConfig<RunOptions>({
  testDir: "tests/e2e",
  outputDir: "test-results",
  globalSetup: "./tests/e2e/start-app.ts",
  fullyParallel: true,
  workers: 2,
  // A test that passes at the second try has found a bug.
  retries: 0,
  // These end a test that hangs. No machine is slow enough to reach them otherwise.
  timeout: 15 * 60_000,
  expect: { timeout: 60_000 },
  forbidOnly: true,
  reporter: "list",
  use: {
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
    timezoneId: "America/Los_Angeles",
    // Nothing moves, so nothing has to come to rest before it is clicked.
    contextOptions: { reducedMotion: "reduce" },
    screenshot: "only-on-failure",
    actionTimeout: 3 * 60_000,
    navigationTimeout: 3 * 60_000,
    launchOptions: {
      ...(browser.executablePath ? { executablePath: browser.executablePath } : {}),
      args: browser.args,
      env: { ...process.env, ...browser.env },
      timeout: 5 * 60_000,
    },
  },
  projects: projects(),
});

function projects() {
  if (JOURNEYS_WAY === undefined) return [inWay("on"), inWay("off")];
  if (JOURNEYS_WAY !== "missing") return [inWay(JOURNEYS_WAY as Way)];
  return eachMissingScript().map(({ script, file, title }) => ({
    name: `without ${script}`,
    testMatch: `**/${file}`,
    grep: new RegExp(`${title.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")}$`),
    use: { way: "missing" as const, missing: script },
  }));
}
