/**
 * The ways in which script reaches a browser, or does not. Each journey runs in one or two of them in `npm test`, with
 * script or without; in both at night; and in all with `npm run journeys`.
 */
import { setTimeout as sleep } from "node:timers/promises";

import type { BrowserContext, Frame, Page } from "playwright/test";

import { translatePages } from "./translation";

/** What happens to the script of the pages. */
export type Way =
  | "on"
  /** The browser has JavaScript turned off. */
  | "off"
  /** The browser could run script, and gets none: a filter, or a network that breaks off. */
  | "blocked"
  /** It arrives 20 s after the page. */
  | "late"
  /** The light version of the pages, which has none. */
  | "light"
  /** One file of it never arrives. */
  | "missing"
  /** It arrives, and then the browser translates the page. */
  | "translated";

/** Marks a journey of which each run leaves this way to the night. */
export const atNightTag = (way: Way) => `@${way}-at-night`;

export const LATE_MS = 20_000;
export const SCRIPTS = /\/assets\/[^/]+\.js$/;

/** What a browser reports of a script that did not arrive. */
const NOT_LOADED =
  /Failed to fetch dynamically imported module|error loading dynamically imported module|net::ERR_FAILED/;

/** What it reports of an email in the demo's mailbox, whose frame has no script and can't be translated. */
const NOT_TRANSLATED = /Blocked script execution in 'about:srcdoc'/;

/** Whether this is how a browser reports what such a way is about. */
export function isExpected(way: Way, problem: string): boolean {
  if (way === "on" || way === "off") return false;
  return (way === "translated" ? NOT_TRANSLATED : NOT_LOADED).test(problem);
}

/** Makes script reach the pages of this browser in this way. `missing` is the name of the file that does not arrive. */
export async function arrange(context: BrowserContext, way: Way, missing: string): Promise<void> {
  if (way === "blocked") await context.route(SCRIPTS, (route) => route.abort());
  if (way === "missing") await context.route(`**/assets/${missing}`, (route) => route.abort());
  if (way === "translated") await translatePages(context);
  if (way !== "late") return;
  // What a page loads later, for the next one, does not wait again: that would be a minute for three files in turn.
  const opened = new Map<Frame, number>();
  context.on("request", (request) => {
    if (request.isNavigationRequest()) opened.set(request.frame(), Date.now());
  });
  await context.route(SCRIPTS, async (route) => {
    const since = Date.now() - (opened.get(route.request().frame()) ?? 0);
    await sleep(Math.max(0, LATE_MS - since));
    // The page may be gone by now.
    await route.continue().catch(() => {});
  });
}

/** Script that is late holds up the end of loading: a journey goes on when the page is there, as people do. */
export function goOnBeforeScript(page: Page): void {
  const wait = { waitUntil: "domcontentloaded" } as const;
  const goto = page.goto.bind(page);
  const goBack = page.goBack.bind(page);
  const goForward = page.goForward.bind(page);
  const reload = page.reload.bind(page);
  page.goto = (url, options) => goto(url, { ...wait, ...options });
  page.goBack = (options) => goBack({ ...wait, ...options });
  page.goForward = (options) => goForward({ ...wait, ...options });
  page.reload = (options) => reload({ ...wait, ...options });
}

/** Holds back what a page asks for. @returns lets it arrive */
export async function hold(page: Page, url: string | RegExp): Promise<() => void> {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route(url, async (route) => {
    await arrived;
    await route.continue();
  });
  return arrive;
}

/** Holds back the code of a part of a page, for which React waits. The page's header names it. @returns lets it arrive */
export async function holdPart(page: Page, path: string): Promise<() => void> {
  const { link } = (await page.request.get(path)).headers();
  return hold(page, `**${/<([^>]+)>; rel=modulepreload/.exec(link!)![1]!}`);
}

/** Opens a page whose scripts arrive when the returned function is called. */
export async function openWithLateScripts(page: Page, path: string): Promise<() => Promise<void>> {
  const arrive = await hold(page, SCRIPTS);
  await page.goto(path, { waitUntil: "commit" });
  return async () => {
    arrive();
    await page.waitForLoadState("networkidle");
    await page.unroute(SCRIPTS);
  };
}
