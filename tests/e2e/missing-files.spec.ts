/**
 * Every page without each file of its script, one at a time: it shows what it would without script, keeps what is typed,
 * and leads on. `npm run journeys` does the same with what people do on the pages, as far as that is the same without script.
 */
import { basename } from "node:path";

import type { Page } from "playwright/test";

import { isNightly } from "../support/nightly";
import { DEMO_PAGES } from "./demo-pages";
import { expect, scripted, signIn, test } from "./journey";

// What a browser says of a file that does not come is expected then.
test.use({ way: "missing", missing: "none.js" });

test.beforeEach(() => {
  test.skip(!scripted() || !isNightly, "At night, where there is script.");
});

const SCRIPT = /\/assets\/[^/]+\.js$/;
const heading = (page: Page) => page.getByRole("heading", { level: 1 });

/** The files of script that a page loads, also when someone begins to type. */
async function listFiles(page: Page, path: string): Promise<string[]> {
  const files = new Set<string>();
  const note = (request: { url(): string }) => {
    const { pathname } = new URL(request.url());
    if (SCRIPT.test(pathname)) files.add(basename(pathname));
  };
  page.on("request", note);
  await page.goto(path, { waitUntil: "networkidle" });
  await type(page);
  page.off("request", note);
  return [...files];
}

/** Types into the first field of the page; nothing without one. Returns what it has then. */
async function type(page: Page): Promise<string | null> {
  const field = page.locator("main :is(input[type=text], textarea):visible:enabled").first();
  if ((await field.count()) === 0) return null;
  await field.fill("Typed");
  await page.waitForLoadState("networkidle");
  return field.inputValue();
}

/** Follows the first link to another page, where there is one. (Home may lead back to where someone signs in.) */
async function followLink(page: Page, where: string): Promise<void> {
  const { pathname } = new URL(page.url());
  const elsewhere = `[href^="/"]:not([href="/"], [href="${pathname}"], [href^="${pathname}?"])`;
  const link = page.locator(`a${elsewhere}:visible`).first();
  if ((await link.count()) === 0) return;
  await link.click();
  await expect.poll(() => new URL(page.url()).pathname, where).not.toBe(pathname);
  await expect(heading(page), where).toBeVisible();
}

for (const { whose, findPaths, email } of DEMO_PAGES)
  test(`every page ${whose} works without any one of its files`, async ({ page }) => {
    page.on("dialog", (dialog) => void dialog.accept());
    if (email !== null) await signIn(page, email);
    const tried = new Set<string>();
    const problems: string[] = [];
    for (const path of await findPaths()) {
      const files = await listFiles(page, path);
      const title = await heading(page).innerText();
      for (const file of files) {
        if (tried.has(file)) continue;
        tried.add(file);
        await page.route(`**/assets/${file}`, (route) => route.abort());
        await page.goto(path, { waitUntil: "networkidle" });
        const shown = await heading(page).innerText();
        if (shown !== title) problems.push(`${path} without ${file} shows “${shown}”`);
        const typed = await type(page);
        if (typed !== null && typed !== "Typed")
          problems.push(`${path} without ${file} lost what was typed`);
        await followLink(page, `${path} without ${file}`);
        await page.unrouteAll();
      }
    }
    expect(tried.size).toBeGreaterThan(10);
    expect(problems).toEqual([]);
  });
