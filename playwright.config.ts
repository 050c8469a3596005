import { defineConfig } from "playwright/test";

import { findBrowser } from "./tests/support/browser";

const browser = await findBrowser();

/** Every journey runs twice: the product must work for people without script exactly as with it. */
export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  globalSetup: "./tests/e2e/start-app.ts",
  fullyParallel: true,
  workers: 2,
  // A test that passes at the second try has found something.
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: "list",
  use: {
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
    timezoneId: "America/Los_Angeles",
    screenshot: "only-on-failure",
    launchOptions: {
      ...(browser.executablePath ? { executablePath: browser.executablePath } : {}),
      args: browser.args,
      env: { ...process.env, ...browser.env },
    },
  },
  projects: [
    { name: "script-on", use: { javaScriptEnabled: true } },
    { name: "script-off", use: { javaScriptEnabled: false } },
  ],
});
