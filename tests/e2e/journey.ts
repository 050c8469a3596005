/**
 * What every journey has: a browser page that fails the test when something goes wrong unseen, and
 * the few things a person does again and again.
 */
import { randomBytes } from "node:crypto";

import { AxeBuilder } from "@axe-core/playwright";
import { expect, test as base, type Page } from "playwright/test";

export { expect };

export const appUrl = () => process.env["E2E_APP_URL"]!;
const supabaseUrl = () => process.env["E2E_SUPABASE_URL"]!;

export const PASSWORD = "rainbow-demo-1";
/** The people of the demo data. Journeys that change something make people of their own. */
export const demo = {
  owner: "owner@demo.test",
  newcomer: "newcomer@demo.test",
  admin: "admin@demo.test",
};

/** What the app is told to read a visitor's address from, as it would be behind a proxy. */
export const VISITOR_HEADER = "X-Visitor";

export const test = base.extend({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads from the pattern what a fixture needs
  baseURL: async ({}, use) => use(appUrl()),

  // Each journey comes from an address of its own, as people do: tries are counted by address.
  // eslint-disable-next-line no-empty-pattern -- as above
  extraHTTPHeaders: async ({}, use) => use({ [VISITOR_HEADER]: `10.${randomBytes(3).join(".")}` }),

  // Nothing may go wrong unseen: no script error, no refused resource, no call to a third party.
  page: async ({ page }, use) => {
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(`script error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      // A refused form answers 400, and the browser notes that.
      if (!message.text().startsWith("Failed to load resource"))
        problems.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && ![appUrl(), supabaseUrl()].includes(origin)) {
        problems.push(`third party: ${request.url()}`);
      }
    });
    await use(page);
    expect(problems).toEqual([]);
  },
});

/** Whether pages run script in this run of the journey. */
export const scripted = () => test.info().project.use.javaScriptEnabled !== false;

let people = 0;

/** An address nobody had before, in any run or worker. */
export function newEmail(name = "owner") {
  people += 1;
  return `${name}-${process.pid}-${Date.now().toString(36)}-${people}@example.test`;
}

export async function signIn(page: Page, email: string, password = PASSWORD) {
  await page.goto("/login");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Login" }).click();
  await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Sign in to your account");
}

export async function signOut(page: Page) {
  const menu = page.getByText("Menu", { exact: true });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign in to your account");
}

/**
 * The data API as the mobile app uses it, signed in as this person.
 * @returns asks it; an answer that is no success fails the test
 */
export async function mobileApp(email: string, password = PASSWORD) {
  const headers: Record<string, string> = {
    apikey: process.env["E2E_PUBLISHABLE_KEY"]!,
    "Content-Type": "application/json",
  };
  const send = async (path: string, body?: object) => {
    const response = await fetch(`${supabaseUrl()}/${path}`, {
      method: body ? "POST" : "GET",
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    expect(response.ok, `${path}: ${response.status} ${text}`).toBe(true);
    return text ? (JSON.parse(text) as unknown) : undefined;
  };
  const session = (await send("auth/v1/token?grant_type=password", { email, password })) as {
    access_token: string;
    user: { id: string };
  };
  headers["Authorization"] = `Bearer ${session.access_token}`;
  return {
    id: session.user.id,
    ask: (path: string, body?: object) => send(`rest/v1/${path}`, body),
  };
}

/** Opens the newest mail to this address in the mailbox and follows its link. */
export async function openMailedLink(page: Page, email: string) {
  await page.goto(`${supabaseUrl()}/mailbox`);
  await page.getByRole("link", { name: email }).first().click();
  await page.locator(".links a").first().click();
}

/** Opens the newest mail to this address with this subject, once it has come: some go out after the page they are about. */
export async function openMail(page: Page, email: string, subject: string) {
  const mail = page
    .getByRole("listitem")
    .filter({ hasText: email })
    .filter({ hasText: subject })
    .getByRole("link")
    .first();
  await expect(async () => {
    await page.goto(`${supabaseUrl()}/mailbox`);
    await expect(mail).toBeVisible({ timeout: 250 });
  }).toPass();
  await mail.click();
}

/** Makes an account as a visitor does, e-mail confirmation and all; ends signed in. */
export async function signUp(page: Page, email: string, fullName: string, password = PASSWORD) {
  await page.goto("/signup");
  await page.getByLabel("Email", { exact: true }).fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Full name").fill(fullName);
  await page.getByRole("button", { name: "Sign Up" }).click();
  await expect(page.getByText("we’ve sent you an e-mail")).toBeVisible();
  await openMailedLink(page, email);
  await page.getByRole("button", { name: "Yes, this is my address" }).click();
  await expect(page.getByText("Your e-mail address is confirmed.")).toBeVisible();
}

/** Types an address, looks it up by its button, and picks the first that is found. */
async function pickAddress(page: Page, field: string, intent: string) {
  await page.locator(`[name=${field}]`).fill("1 Castro St, San Francisco, CA 94114");
  await page.locator(`button[value=${intent}]`).click();
  await page.locator(`[name=${field}_pick][type=radio]`).first().check();
}

/** Fills in what the listing form requires. */
export async function fillListing(page: Page, name: string) {
  await page.getByLabel("Business Name").fill(name);
  await page.getByLabel("Category").selectOption({ index: 1 });
  await page.getByLabel("About/Bio").fill("A place for everyone.");
  await pickAddress(page, "rawaddress", "findAddress");
  await pickAddress(page, "mailingaddress", "findMailingAddress");
  await page.getByLabel("I agree that this listing is shown publicly").check();
  await page.getByLabel("I certify that this business").check();
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * What must hold of every page in every state: axe finds nothing, in light and in dark; nothing is
 * wider than a small phone; there is one main heading, and a title of its own.
 */
export async function checkPage(page: Page) {
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  await expect(page).toHaveTitle(/ · |^Everyone/);

  const inspected = scripted() ? page : await twinOf(page);
  // The dark page is the same with script and without: one of the two runs looks at it.
  for (const colorScheme of scripted() ? (["light", "dark"] as const) : (["light"] as const)) {
    await inspected.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const axe = new AxeBuilder({ page: inspected }).setLegacyMode();
    // The dark page is the same but for its colours.
    const asked =
      colorScheme === "light"
        ? axe.withTags(RULES)
        : axe.withRules(["color-contrast", "link-in-text-block"]);
    const { violations } = await asked.analyze();
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => String(target)).join(", ")}`,
    );
    expect(found, `${page.url()} in ${colorScheme}`).toEqual([]);
  }
  await inspected.emulateMedia({ colorScheme: "light" });
  if (!scripted()) await inspected.context().close();

  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 320, height: 640 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide, `${page.url()} at 320 px`).toBeLessThanOrEqual(320);
  await page.setViewportSize(size);
}

/**
 * axe itself is a script. So the page as it stands without script is shown again where script may
 * run, without any of its own.
 */
async function twinOf(page: Page): Promise<Page> {
  const html = (await page.content()).replace(/<script\b.*?<\/script>/gs, "");
  const context = await page
    .context()
    .browser()!
    .newContext({ viewport: page.viewportSize(), javaScriptEnabled: true });
  const twin = await context.newPage();
  const url = page.url();
  await twin.route(url, (route) =>
    route.fulfill({ body: html, contentType: "text/html; charset=utf-8" }),
  );
  await twin.goto(url);
  return twin;
}
