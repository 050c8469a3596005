/** Shared parts of the journeys in WebKit: a tab that fails its test when something goes wrong unseen, and steps. */
import { expect, test as base } from "playwright/test";

import { demo, PASSWORD } from "../e2e/data-api";
import { startHarmlessSite, type HarmlessSite } from "../e2e/harmless-site";
import { appUrl, VISITOR_HEADER, type RunOptions } from "../e2e/journey";
import { writeScripts } from "../e2e/missing-scripts";
import { findWebKit } from "../support/browser";
import { openNetwork, type Network } from "./network";
import { Tab } from "./tab";
import { startWebKit } from "./webdriver";

interface Fixtures extends RunOptions {
  /** The only site besides the app that the browser reaches. */
  harmless: HarmlessSite;
  network: Network;
  tab: Tab;
}

/** What WebKit reports of a page that is left while it waits for something. */
const HARMLESS = /Importing a module script failed|TypeError: Load failed/;

/** Why a journey with Back is left out where script is late. */
export const LEFT_TOO_EARLY =
  "WebKit restores nothing when a page on the way was left before it had loaded.";

/** The journey that asked whether it can rely on script. */
let differing: string | undefined;

/** Whether a journey can rely on script in this run of it. */
export function scripted(): boolean {
  differing = test.info().testId;
  return test.info().project.name === "script-on";
}

export const test = base.extend<Fixtures>({
  way: ["on", { option: true }],
  missing: ["", { option: true }],

  // eslint-disable-next-line no-empty-pattern -- Playwright reads a fixture's dependencies from the pattern
  harmless: async ({}, use) => {
    const site = await startHarmlessSite();
    await use(site);
    await site.stop();
  },

  network: async ({ way, missing }, use, info) => {
    const network = await openNetwork({
      url: appUrl(),
      appPort: Number(process.env["E2E_APP_PORT"]),
      visitorHeader: VISITOR_HEADER,
      way,
      missing,
    });
    await use(network);
    await network.close();
    if (way === "on" && differing !== info.testId) writeScripts(info, network.scripts);
  },

  tab: async ({ network, harmless, way }, use, info) => {
    const webkit = findWebKit();
    if ("missing" in webkit) throw new Error(webkit.missing);
    const browser = await startWebKit({
      driver: webkit.driver,
      script: way !== "off",
      proxyPort: harmless.proxyPort,
      env: {
        DISPLAY: process.env["E2E_DISPLAY"]!,
        XDG_CONFIG_HOME: process.env["E2E_GTK_SETTINGS"]!,
      },
    });
    const tab = new Tab(browser, appUrl());
    try {
      await browser.resize(1280, 900);
      if (way === "light") {
        await tab.open("/login");
        await tab.press("Light version");
        await tab.sees("You’re using the light version.");
      }
      await use(tab);
      if (info.errors.length > 0)
        await info.attach("screenshot", {
          body: await tab.screenshot(),
          contentType: "image/png",
        });
    } finally {
      await browser.close();
    }
    expect(network.problems.filter((problem) => !HARMLESS.test(problem))).toEqual([]);
    expect(harmless.others, "third parties").toEqual([]);
  },
});

/** Signs in on the login page. */
export async function signIn(tab: Tab, email: string, password = PASSWORD): Promise<void> {
  await tab.open("/login");
  await tab.fill("Email", email);
  await tab.fill("Password", password);
  await tab.press("Login");
  await tab.seesHeading(email === demo.admin ? /./ : /^Welcome/);
  await tab.shows("button", "Logout");
}
