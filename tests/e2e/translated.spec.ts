/** A page that the browser translates. `npm run journeys -- --way translated` runs every journey in such pages. */
import type { Page } from "playwright/test";

import { createAccount, demo } from "./data-api";
import { expect, scripted, scriptRuns, signIn, test } from "./journey";
import { takeTextsAway, translate } from "./translation";
import { openWithLateScripts } from "./ways";

test.use({ way: "on" });
test.skip(() => !scripted(), "Without script nothing changes a text.");

test("a page that was translated before its script arrived goes on without it: what was typed stays, and is sent", async ({
  page,
}) => {
  await signIn(page, await createAccount("Early Sam"));
  const scriptsArrive = await openWithLateScripts(page, "/jobs/new");
  await page.getByLabel("Job Title").fill("Panadera");
  await translate(page);
  await scriptsArrive();
  await page.getByLabel("Description").fill("Pan antes del amanecer.");
  await expect(page.getByLabel("Job Title")).toHaveValue("Panadera");
  await page.getByRole("button", { name: "Save and pay" }).last().click();
  await expect(page.getByRole("alert")).toContainText("Choose a category.");
  await expect(page.getByLabel("Job Title")).toHaveValue("Panadera");
});

/** Leaves a checkout, whose order then shows in a table with the dates that it holds. */
async function leaveCheckout(page: Page, rate: string, dateFromLast: number) {
  await signIn(page, demo.rosa);
  await page.goto("/sponsor/new");
  await page.getByLabel("Business").selectOption({ index: 1 });
  await page.getByLabel("Promo text").fill(`Traducido ${Date.now()}`);
  await page.getByLabel("Price per newsletter").fill(rate);
  await page.getByRole("checkbox").nth(-dateFromLast).check();
  await page.getByRole("button", { name: "Save and pay" }).last().click();
  await page.getByRole("link", { name: /back/i }).click();
  await expect(page.getByText("You left before paying.")).toBeVisible();
  await scriptRuns(page);
}

async function releaseDates(page: Page) {
  await page.getByRole("button", { name: "Release my dates" }).click();
  await expect(page.getByText("Your order is saved. You can pay for it later.")).toBeVisible();
}

test("what changes in a translated page reads as in a new one, and so does its original", async ({
  page,
}) => {
  await leaveCheckout(page, "47.33", 20);
  const showOriginal = await translate(page);
  // The other tests of this account have orders of their own.
  const textIn = async (shown: Page) =>
    (await shown.getByRole("row").filter({ hasText: "$47.33" }).innerText()).replace(/\s+/g, " ");
  const before = await textIn(page);
  await releaseDates(page);
  const copy = await page.context().newPage();
  await copy.goto("/sponsor");
  const after = await textIn(copy);
  expect(after).not.toBe(before);
  expect(await textIn(page)).toBe(after);
  await showOriginal();
  await expect(page.locator("font")).toHaveCount(0);
  expect(await textIn(page)).toBe(after);
});

test("a page from which a translation has taken texts away goes on", async ({ page }) => {
  await leaveCheckout(page, "47.44", 21);
  await takeTextsAway(page);
  await releaseDates(page);
  await expect(page.getByRole("table")).toBeVisible();
});

test("a text of a translated page shows what React puts there, each time", async ({ page }) => {
  await signIn(page, await createAccount("Counting Sam"));
  await page.goto("/listings");
  await scriptRuns(page);
  const showOriginal = await translate(page);
  const heading = page.getByRole("heading", { level: 1 });
  // React has this node, in which nothing is left, and sees no other.
  const text = await heading.evaluateHandle((element) => element.firstChild as Text);
  for (const words of ["One listing", "Two listings", "Three listings"]) {
    await text.evaluate((node, data) => void (node.data = data), words);
    await expect(heading).toHaveText(words);
    await expect(heading.locator("font").first()).toHaveText(words);
  }
  await showOriginal();
  await expect(heading).toHaveText("Three listings");
  expect(await text.evaluate((node) => [node.isConnected, node.data])).toEqual([
    true,
    "Three listings",
  ]);
});
