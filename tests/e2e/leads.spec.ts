import { checkPage, demo, expect, signIn, test } from "./journey";

test("an owner reads a lead, notes what came of it, and finds it among the replied ones", async ({
  page,
}) => {
  await page.goto("/leads");
  await expect(page.getByText("Sign in to read yours.")).toBeVisible();
  await checkPage(page);

  await signIn(page, demo.owner);
  await page.goto("/leads");
  await expect(page.getByRole("table", { name: "11 leads" })).toBeVisible();
  await checkPage(page);

  await page.getByRole("link", { name: /^Open: from Wren Whitehorse/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Wren Whitehorse");
  await page.getByLabel("Replied").check();
  await page.getByLabel("Notes").fill("Two bouquets, three boutonnières.");
  await checkPage(page);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The lead from Wren Whitehorse is saved.")).toBeVisible();

  await page.getByLabel("State").selectOption("replied");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page).toHaveURL(/[?&]state=replied/);
  await page.getByRole("link", { name: /^Open: from Wren Whitehorse/ }).click();
  await expect(page.getByLabel("Notes")).toHaveValue("Two bouquets, three boutonnières.");
});
