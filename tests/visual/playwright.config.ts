import { defineConfig } from "playwright/test";

import { findPinnedBrowser } from "../support/browser";

import { FIXED_TIME } from "./start-app";

const browser = await findPinnedBrowser();

/**
 * How the pages look, compared with the pictures in `screenshots/`. They are half as wide and high as the
 * screen, which shows anything that moves, and keeps the repository small.
 */
export default defineConfig({
  testDir: ".",
  // The pictures were made by the pinned browser.
  testIgnore: browser ? [] : "**",
  outputDir: "../../test-results/visual",
  globalSetup: "./start-app.ts",
  snapshotPathTemplate: "{testDir}/read-aloud/{arg}{ext}",
  fullyParallel: true,
  workers: 2,
  retries: 0,
  // As in the journeys: it ends a test that hangs.
  timeout: 15 * 60_000,
  forbidOnly: true,
  // What differs is shown side by side, in a browser.
  reporter: [
    ["list"],
    ["html", { open: "on-failure", outputFolder: "../../test-results/pictures" }],
  ],
  expect: {
    timeout: 60_000,
    toHaveScreenshot: {
      pathTemplate: "{testDir}/screenshots/{arg}{ext}",
      scale: "device",
      // Some pixels of a letter's edge may differ on another processor. Another date is more.
      maxDiffPixels: 20,
    },
  },
  use: {
    deviceScaleFactor: 0.5,
    locale: "en-US",
    timezoneId: "America/Los_Angeles",
    contextOptions: { reducedMotion: "reduce" },
    actionTimeout: 60_000,
    navigationTimeout: 3 * 60_000,
    launchOptions: {
      ...(browser?.executablePath && { executablePath: browser.executablePath }),
      args: browser?.args ?? [],
      env: { ...process.env, ...browser?.env, FIXED_TIME },
      timeout: 5 * 60_000,
    },
  },
});
