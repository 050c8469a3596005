import { defineConfig } from "playwright/test";

import type { RunOptions } from "./tests/e2e/journey";
import { eachMissingScript } from "./tests/e2e/missing-scripts";
import { atNightTag, type Way } from "./tests/e2e/ways";
import { findBrowser, findFirefox } from "./tests/support/browser";

const { JOURNEYS_WAY, JOURNEYS_EACH_RUN, JOURNEYS_ENGINE } = process.env;

const inFirefox = JOURNEYS_ENGINE === "firefox";
const isMissing = inFirefox && findFirefox() === undefined;
if (isMissing) console.log("Skipped: Firefox isn’t installed, and FIREFOX_PATH names none.");

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
  ...(isMissing && { testIgnore: "**" }),
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
    ...(inFirefox ? firefox() : await chromium()),
  },
  projects: projects(),
});

async function chromium() {
  const { executablePath, args, env } = await findBrowser();
  return {
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args,
      env: { ...process.env, ...env },
      timeout: 5 * 60_000,
    },
  };
}

/** The Firefox that is installed, as people have it; tests/e2e/firefox.ts says what Playwright lacks for it. */
function firefox() {
  const executablePath = findFirefox()!;
  return {
    browserName: "firefox" as const,
    channel: "moz-firefox",
    launchOptions: {
      executablePath,
      // Nothing moves: the context's own option does not reach it.
      firefoxUserPrefs: { "ui.prefersReducedMotion": 1 },
      timeout: 5 * 60_000,
    },
  };
}

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
