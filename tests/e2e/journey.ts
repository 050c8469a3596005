/**
 * Shared parts of the browser tests: a page that fails its test when something goes wrong unseen,
 * the steps that many journeys take, and the check of a page state.
 */
import { randomBytes } from "node:crypto";

import { expect, test as base, type BrowserContext, type Cookie, type Page } from "playwright/test";

import { findViolations } from "../support/axe";
import { hydrationOf } from "../support/hydration";
import { demo, findEmail, PASSWORD, supabaseUrl } from "./data-api";
import { adaptFirefox, isHarmless } from "./firefox";
import { recordScripts, writeScripts } from "./missing-scripts";
import { arrange, atNightTag, goOnBeforeScript, isExpected, type Way } from "./ways";

export { expect };

export const appUrl = () => process.env["E2E_APP_URL"]!;

/** The header that the app reads a visitor's IP address from, as it would behind a proxy. */
export const VISITOR_HEADER = "X-Visitor";

/** What a project of playwright.config.ts says of a run. */
export interface RunOptions {
  way: Way;
  /** The file that never arrives, where that is the way. */
  missing: string;
}

export const test = base.extend<RunOptions>({
  browser: [
    async ({ browser, browserName }, use, { project }) => {
      if (browserName === "firefox") adaptFirefox(browser, project.use.javaScriptEnabled === false);
      await use(browser);
    },
    { scope: "worker" },
  ],

  way: ["on", { option: true }],
  missing: ["", { option: true }],

  // eslint-disable-next-line no-empty-pattern -- Playwright reads a fixture's dependencies from the pattern
  baseURL: async ({}, use) => use(appUrl()),

  // Each journey has an IP address of its own, since attempts to sign in are limited by address.
  // eslint-disable-next-line no-empty-pattern -- as above
  extraHTTPHeaders: async ({}, use) => use({ [VISITOR_HEADER]: `10.${randomBytes(3).join(".")}` }),

  context: async ({ context, way, missing }, use, info) => {
    await arrange(context, way, missing);
    if (way === "light") await chooseLightVersion(context);
    const scripts = recordScripts(context);
    await use(context);
    if (way === "on" && differing !== info.testId) writeScripts(info, scripts);
  },

  // Fails the test on a script error, a blocked resource, or a request to a third party.
  page: async ({ page, way, browserName }, use) => {
    if (way === "late") goOnBeforeScript(page);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(`script error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      // The browser logs the status 400 of a rejected form.
      if (!message.text().startsWith("Failed to load resource"))
        problems.push(`console: ${message.text()}`);
    });
    // Without one of its files a page stays without script, which looks like a test that waits in vain.
    page.on("response", (response) => {
      if (
        response.status() >= 400 &&
        ["script", "stylesheet"].includes(response.request().resourceType())
      )
        problems.push(`${response.status()}: ${response.url()}`);
    });
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && ![appUrl(), supabaseUrl()].includes(origin)) {
        problems.push(`third party: ${request.url()}`);
      }
    });
    await use(page);
    const unexpected = problems.filter(
      (problem) => !isExpected(way, problem) && !(browserName === "firefox" && isHarmless(problem)),
    );
    expect(unexpected).toEqual([]);
  },
});

/**
 * Leaves one of the two ways of a journey to the night: its forms work in the other one in each run, and what they send
 * is tried by the tests of their routes.
 */
export const atNight = (way: "on" | "off") => ({ tag: atNightTag(way) });

/** The journey that asked last whether it can rely on script. A condition of `test.skip` asks before its context opens. */
let differing: string | undefined;

/** Whether a journey can rely on script in this run of it. */
export function scripted(): boolean {
  differing = test.info().testId;
  return isScripted();
}

const isScripted = () => /-(on|translated)$/.test(test.info().project.name);

/**
 * Whether Back restores the fields of a document that is asked for again. Firefox never does where it may not be stored,
 * as none of ours may.
 */
export const restoresFields = () => test.info().project.use.browserName !== "firefox";

/** Whether Back leads to a page whose form was sent before its script had arrived. Firefox forgets such a page. */
export const remembersUnloadedPages = () =>
  test.info().project.name !== "script-late" || restoresFields();

/** Sessions of the demo accounts, which no journey ends, by email address. */
const demoSessions = new Map<string, Cookie[]>();

/**
 * Signs a browser in by sending the login form without opening the page, in place of any other
 * account. The journeys about signing in use the page.
 */
export async function signIn(page: Page, email: string, password = PASSWORD) {
  const context = page.context();
  await context.clearCookies({ name: /session/ });
  const known = demoSessions.get(email);
  if (known) return context.addCookies(known);
  const response = await page.request.post(`${appUrl()}/login`, {
    form: { email, password },
    headers: { Origin: appUrl() },
    maxRedirects: 0,
  });
  expect(response.status(), `signing in as ${email}`).toBe(303);
  if (Object.values(demo).includes(email)) {
    const cookies = await context.cookies(appUrl());
    demoSessions.set(
      email,
      cookies.filter(({ name }) => name.includes("session")),
    );
  }
}

/**
 * Waits until script runs in a page: what is pressed from now on, React answers. (`waitForFunction` evaluates text in
 * the page, which its policy forbids, and `poll` ends with an error when the page is left while it is asked.)
 */
export const scriptRuns = (page: Page) =>
  expect(async () => expect(await hydrationOf(page)).toBe("hydrated")).toPass({
    timeout: 5 * 60_000,
  });

/**
 * Waits until a page goes on without a connection. It loads the code for that ahead, as the last thing: on a busy machine,
 * the network is idle before that.
 */
export const canWaitForConnection = (page: Page) =>
  expect.poll(() => page.evaluate(() => fetch.toString())).not.toContain("[native code]");

/** Chooses the light version without opening a page. (Headers such as Save-Data end where another site was open.) */
async function chooseLightVersion(context: BrowserContext) {
  await context.request.post(`${appUrl()}/version`, {
    form: { version: "light", return_to: "/" },
    headers: { Origin: appUrl() },
    maxRedirects: 0,
  });
  // The first page of the journey would say so.
  await context.clearCookies({ name: /flash/ });
}

/** Signs a browser out without opening a page. The choice of the light version stays. */
export const signOut = (page: Page) => page.context().clearCookies({ name: /^(?!.*version)/ });

/** Signs in on the login page, which is open. */
export async function submitLogin(page: Page, email: string, password = PASSWORD) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Login" }).click();
}

/** Presses the "Logout" button of the page, which may be in the menu. */
export async function pressLogout(page: Page) {
  const menu = page.getByText("Menu", { exact: true });
  // Until the style sheet is there, the menu of small screens shows as well.
  await expect(page.locator("body")).toHaveCSS("margin-top", "0px");
  if (await menu.isVisible()) await menu.click();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign in to your account");
}

/**
 * Opens the newest email to this address with this subject in the mailbox. Waits for it: the
 * dashboard sends some emails after it has answered.
 */
export async function openEmail(page: Page, email: string, subject = "") {
  let url: string | undefined;
  await expect
    .poll(async () => (url = await findEmail(email, subject)), `${email}: ${subject}`)
    .toBeDefined();
  await page.goto(url!);
}

/** Opens the newest email to this address with this subject, as openEmail does, and follows its link. */
export async function openEmailedLink(page: Page, email: string, subject = "") {
  await openEmail(page, email, subject);
  await page.locator(".links a").first().click();
}

/** Creates an account on the pages, with the confirmation by email; ends signed in. */
export async function signUp(page: Page, email: string, fullName: string) {
  await page.goto("/signup");
  await page.getByLabel("Email", { exact: true }).fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByLabel("Full name").fill(fullName);
  await page.getByRole("button", { name: "Sign Up" }).click();
  await expect(page.getByText("Check your email")).toBeVisible();
  await openEmailedLink(page, email, "confirm your email address");
  await page.getByRole("button", { name: "Confirm my email" }).click();
}

/** Types an address, looks it up with its button, and picks the first result. */
async function pickAddress(page: Page, field: string, intent: string) {
  await page.locator(`[name=${field}]`).fill("1 Castro St, San Francisco, CA 94114");
  const button = page.locator(`button[value=${intent}]`);
  // It does nothing while another address is being looked up.
  await expect(button).toBeEnabled();
  // With the keyboard, since suggestions may cover it until the field loses its focus.
  await button.press("Enter");
  // Without script, the browser moves the focus to what was found, on a busy machine after other things were pressed.
  if (!scripted()) await expect(page.locator(`#listing-${field}-found`)).toBeFocused();
  await page.locator(`[name=${field}_pick][type=radio]`).first().check();
}

/** Fills in what the listing form requires. */
export async function fillListing(page: Page, name: string) {
  await page.getByLabel("Business Name").fill(name);
  await page.getByLabel("Category").selectOption({ index: 1 });
  await page.getByLabel("About/Bio").fill("A place for everyone.");
  await pickAddress(page, "rawaddress", "findAddress");
  await pickAddress(page, "mailingaddress", "findMailingAddress");
  await page.getByLabel("I agree to have this listing shown publicly").check();
  await page.getByLabel("I certify that this business").check();
}

/**
 * Checks one state of one page: axe finds nothing in light colors, and nothing about colors in dark
 * ones; nothing is wider than 320 px; there is one main heading, and a title.
 *
 * Each state is checked by one journey and in one run of it, the one with script.
 * `tests/contract/page-states.test.ts` rejects a name that is used twice.
 * @param state names the state for messages, such as "listing form, rejected"
 */
export async function checkPage(page: Page, state: string) {
  if (test.info().project.name !== "script-on") return;
  await checkHeadings(page);
  await checkWithAxe(page, state);
  await checkWidth(page, state);
}

/** Checks a state that exists only without script: in the run without script, as `checkPage` does. */
export async function checkPageWithoutScript(page: Page, state: string) {
  if (isScripted()) return;
  await checkHeadings(page);
  const copy = await copyWithScript(page);
  await checkWithAxe(copy, state);
  await copy.context().close();
  await checkWidth(page, state);
}

async function checkHeadings(page: Page) {
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  await expect(page).toHaveTitle(/ · |^Everyone/);
}

async function checkWithAxe(page: Page, state: string) {
  // What axe finds is in the document and its styles. The runs in Chromium look for it: a tab of Firefox that WebDriver
  // BiDi drives crashes under axe.
  if (test.info().project.use.browserName === "firefox") return;
  for (const colorScheme of ["light", "dark"] as const)
    expect(
      await findViolations(page, colorScheme),
      `${state} (${page.url()}) in ${colorScheme} colors`,
    ).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

async function checkWidth(page: Page, state: string) {
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 320, height: 640 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width, `width of ${state} (${page.url()}) at 320 px`).toBeLessThanOrEqual(320);
  await page.setViewportSize(size);
}

/**
 * axe is a script itself. So it inspects a copy of the page as it is without script, in a browser
 * where script may run, with the page's own scripts removed.
 */
async function copyWithScript(page: Page): Promise<Page> {
  const html = (await page.content()).replace(/<script\b.*?<\/script>/gs, "");
  const context = await page
    .context()
    .browser()!
    .newContext({ viewport: page.viewportSize(), javaScriptEnabled: true });
  const copy = await context.newPage();
  const url = page.url();
  await copy.route(url, (route) =>
    route.fulfill({ body: html, contentType: "text/html; charset=utf-8" }),
  );
  await copy.goto(url);
  return copy;
}
