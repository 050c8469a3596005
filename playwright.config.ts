import { defineConfig } from "playwright/test";

import { findBrowser } from "./tests/support/browser";

const browser = await findBrowser();

/** Journeys run twice: the product must work for people without script exactly as with it. */
export default defineConfig({
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
  projects: [
    { name: "script-on", use: { javaScriptEnabled: true } },
    { name: "script-off", use: { javaScriptEnabled: false } },
  ],
});
