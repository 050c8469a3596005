import { demo } from "./data-api";
import { atNight, checkPage, expect, signIn, test } from "./journey";

test(
  "an owner opens a lead, marks it as replied with a note, and finds it by its state",
  atNight("on"),
  async ({ page }) => {
    await page.goto("/leads");
    await expect(
      page.getByText("Sign in to read the messages sent to your listings."),
    ).toBeVisible();
    await checkPage(page, "leads, signed out");

    await signIn(page, demo.owner);
    await page.goto("/leads");
    await expect(page.getByRole("table", { name: "11 leads" })).toBeVisible();

    await page.getByRole("link", { name: /^Wren Whitehorse/ }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Wren Whitehorse");
    await page.getByLabel("Replied").check();
    await page.getByLabel("Notes").fill("Two bouquets, three boutonnières.");
    await checkPage(page, "lead, with a note");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved.", { exact: true })).toBeVisible();

    await page.getByLabel("Status").selectOption("replied");
    await page.getByRole("button", { name: "Show" }).click();
    await expect(page).toHaveURL(/[?&]state=replied/);
    await page.getByRole("link", { name: /^Wren Whitehorse/ }).click();
    await expect(page.getByLabel("Notes")).toHaveValue("Two bouquets, three boutonnières.");
  },
);
