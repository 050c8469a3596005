/** The seconds before script arrives, and what Back restores: nothing that was typed or chosen is overlooked. */
import type { Page } from "playwright/test";

import { createAccount, dataApi, demo } from "./data-api";
import { expect, scripted, signIn, test } from "./journey";

const ONLINE_SHOPPING = "12";
const THERAPIST = "2";
const SCRIPTS = "**/assets/*.js";

test.beforeEach(() => {
  test.skip(!scripted(), "There is no script to wait for.");
});

/** Opens a page whose scripts arrive when the returned function is called. */
async function openWithLateScripts(page: Page, path: string): Promise<() => Promise<void>> {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route(SCRIPTS, async (route) => {
    await arrived;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  return async () => {
    arrive();
    await page.waitForLoadState("networkidle");
    await page.unroute(SCRIPTS);
  };
}

const category = (page: Page) => page.getByLabel("Category", { exact: true });
const question = (page: Page) => page.getByRole("group", { name: /online/i }).first();
const fallback = (page: Page) => page.getByRole("button", { name: "Show extra questions" });

test("a category that is chosen before script arrives brings its questions", async ({ page }) => {
  await signIn(page, await createAccount("Early Sam"));
  const scriptsArrive = await openWithLateScripts(page, "/listings/new");
  await category(page).selectOption(ONLINE_SHOPPING);
  await page.getByLabel("Business Name").fill("Typed early");
  await page.getByLabel("Business Name").focus();
  await expect(fallback(page)).toBeVisible();
  await scriptsArrive();
  await expect(fallback(page)).toHaveCount(0);
  await expect(question(page)).toBeVisible();
  await expect(page.getByLabel("Business Name")).toHaveValue("Typed early");
  await expect(page.getByLabel("Business Name")).toBeFocused();
});

test("a category that Back restores brings its questions", async ({ page }) => {
  await signIn(page, await createAccount("Early Sam"));
  await page.goto("/listings/new");
  await expect(fallback(page)).toHaveCount(0);
  await category(page).selectOption(THERAPIST);
  await category(page).selectOption(ONLINE_SHOPPING);
  await page.goto("/privacy");
  await page.goBack();
  await expect(category(page)).toHaveValue(ONLINE_SHOPPING);
  await expect(question(page)).toBeVisible();
});

test("an ally-owned company that is ticked before script arrives is asked about safety", async ({
  page,
}) => {
  await signIn(page, await createAccount("Early Sam"));
  const scriptsArrive = await openWithLateScripts(page, "/jobs/new");
  const box = page.getByRole("checkbox", { name: /ally/i });
  await box.check();
  await scriptsArrive();
  await expect(box).toBeChecked();
  // The search is there once script runs; what it hides must not be the question.
  await expect(page.getByLabel("Search locations")).toBeVisible();
  await expect(page.locator("#job-ally_safety")).toBeVisible();
});

test("script that arrives late leaves the focus where someone is typing", async ({ page }) => {
  await signIn(page, await createAccount("Early Sam"));
  // Sent as a document, since there is no script yet, and so the errors are in the page that arrives.
  const scriptsArrive = await openWithLateScripts(page, "/listings/new");
  await page.getByLabel("Business Name").fill("No category");
  await page
    .getByRole("button", { name: "Submit For Approval" })
    .last()
    .click({ noWaitAfter: true });
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await page.getByLabel("Business Name").fill("Still typing");
  await page.getByLabel("Business Name").focus();
  await scriptsArrive();
  await expect(fallback(page)).toHaveCount(0);
  await expect(page.getByLabel("Business Name")).toBeFocused();
  await expect(page.getByLabel("Business Name")).toHaveValue("Still typing");
});

test("a part of a form whose code arrives last keeps what was typed into it", async ({ page }) => {
  const [edited] = await (
    await dataApi(demo.admin)
  ).get("places?select=id&status=eq.pending-update&order=id&limit=1");
  await signIn(page, demo.admin);
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route(SCRIPTS, async (route) => {
    const response = await route.fetch();
    // Only the section of admins says this.
    if ((await response.text()).includes("search by name")) await arrived;
    await route.fulfill({ response });
  });
  await page.goto(`/listings/${String(edited!["id"])}`, { waitUntil: "commit" });
  const search = page.getByLabel("Business Owner: search by name");
  await search.fill("newcomer");
  // The form changes while that section has not arrived.
  await category(page).selectOption(ONLINE_SHOPPING);
  await search.focus();
  arrive();
  await expect(fallback(page)).toHaveCount(0);
  await expect(question(page)).toBeVisible();
  await expect(search).toHaveValue("newcomer");
  await expect(search).toBeFocused();
  await page.unrouteAll({ behavior: "wait" });
});
