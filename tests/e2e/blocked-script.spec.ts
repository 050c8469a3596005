/** A browser that could run script and gets none: a filter blocks it, or the network breaks off. */
import { createAccount } from "./data-api";
import { expect, fillListing, scripted, signIn, test } from "./journey";

test.use({ way: "blocked" });

test("an owner whose script is blocked adds a listing, with the questions of its category", async ({
  page,
}) => {
  test.skip(!scripted(), "There is nothing to block.");
  await signIn(page, await createAccount("Blocked Sam"));
  await page.goto("/listings/new");
  await fillListing(page, "Blocked Shop");
  await page.getByLabel("Category", { exact: true }).selectOption({ label: "Online Shopping" });
  await page.getByRole("button", { name: "Show extra questions" }).click();
  await page
    .getByRole("group", { name: /online/i })
    .getByRole("checkbox")
    .first()
    .check();
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
});
