import type { Page } from "playwright/test";

import { addListings, createAccount } from "./data-api";
import { atNight, appUrl, checkPage, expect, scripted, signIn, test } from "./journey";

const openEditor = async (page: Page) => {
  await page.goto("/listings");
  await page.getByRole("link", { name: /^Edit listing/ }).click();
  await expect(page.getByRole("button", { name: "Save Updates" })).toBeVisible();
};

const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save Updates" }).click();
};

test(
  "when two windows save the same listing, the later one compares both versions and chooses",
  atNight("off"),
  async ({ page, browser }) => {
    const email = await createAccount("Sam Rivera");
    await addListings(email, ["First"]);
    await signIn(page, email);
    await openEditor(page);

    const other = await browser.newContext({ javaScriptEnabled: scripted(), baseURL: appUrl() });
    const window = await other.newPage();
    await signIn(window, email);
    await openEditor(window);
    await window.getByLabel("Business Name").fill("Theirs");
    await window.getByLabel("Phone").fill("+1 201 555 0199");
    await save(window);
    await expect(window.getByText("Your listing has been submitted for review!")).toBeVisible();
    await other.close();

    await page.getByLabel("Business Name").fill("Mine");
    await page.getByLabel("Website").fill("https://mine.example");
    await save(page);
    const table = page.getByRole("table", { name: "Differences between the two versions" });
    await expect(table.getByRole("radio", { name: "Theirs", exact: true })).not.toBeChecked();
    await expect(table.getByRole("radio", { name: "Mine", exact: true })).toBeChecked();
    await expect(table.getByRole("radio", { name: "+1 201 555 0199" })).toBeVisible();
    await checkPage(page, "listing form, changed elsewhere");

    await table.getByRole("radio", { name: "Theirs", exact: true }).check();
    await table.getByRole("radio", { name: "+1 201 555 0199" }).check();
    await save(page);
    await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
    await openEditor(page);
    await expect(page.getByLabel("Business Name")).toHaveValue("Theirs");
    await expect(page.getByLabel("Phone")).toHaveValue("+1 201 555 0199");
    await expect(page.getByLabel("Website")).toHaveValue("https://mine.example");
  },
);
