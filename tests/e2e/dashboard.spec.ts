import { createAccount, demo } from "./data-api";
import { checkPage, expect, fillListing, scripted, signIn, test } from "./journey";

test("an owner of many listings pages through them, filters, and searches", async ({ page }) => {
  // Without script on a small screen, with script on a large one.
  await page.setViewportSize({ width: scripted() ? 1280 : 360, height: 800 });
  await signIn(page, demo.owner);
  await page.goto("/listings");
  const featured = page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: "Fern & Flour Bakery" }) });
  await expect(featured).toContainText("Featured");

  // The numbers and the owner's actions open without script, too.
  await featured.getByText("Week by week").click();
  await expect(
    featured.getByRole("table", { name: "Views by week: Fern & Flour Bakery" }).getByRole("row"),
  ).toHaveCount(13);
  await featured.getByText("Manage", { exact: true }).click();
  await expect(
    featured.getByRole("button", { name: "Hide listing: Fern & Flour Bakery" }),
  ).toBeVisible();
  await expect(page.getByText("180K+ app users")).toBeVisible();
  await checkPage(page, "listings, with weekly numbers and actions open");

  await page.getByRole("link", { name: "Next page" }).click();
  await expect(page.getByText("Listings 21–32 of 32")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Wild Yeast Cider" })).toBeVisible();
  await expect(page.getByText("Payment failed")).toBeVisible();
  await checkPage(page, "listings, last page, with a failed payment");
  await page.getByRole("link", { name: "Previous page" }).click();
  await expect(page.getByText("Listings 1–20 of 32")).toBeVisible();
  await page.getByRole("link", { name: /^Needs you: \d+$/ }).click();
  await expect(page.getByText(/^\d+ listings of 32 need you/)).toBeVisible();
  await expect(page.getByRole("heading", { name: "Wild Yeast Cider" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Fern & Flour Bakery" })).toHaveCount(0);
  await page.getByRole("link", { name: "Show all" }).click();
  // The search form of the page before would search among the filtered listings only.
  await expect(page.getByText("Listings 1–20 of 32")).toBeVisible();

  await page.getByLabel("Search your listings").fill("riverbend TUCSON");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByText("1 listing of 32 found")).toBeVisible();
  await expect(page).toHaveURL(/\/listings\?search=riverbend\+TUCSON$/);
  await expect(page.getByLabel("Search your listings")).toHaveValue("riverbend TUCSON");
  await expect(page.getByRole("heading", { name: "Riverbend Books Tucson" })).toBeVisible();

  await page.getByLabel("Search your listings").fill("nowhere at all");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("heading", { name: "No listing found" })).toBeVisible();
  await checkPage(page, "listings, nothing found");
  await page.getByRole("link", { name: "Show all" }).click();
  await expect(page.getByText("Listings 1–20 of 32")).toBeVisible();
  await expect(page.getByLabel("Search your listings")).toHaveValue("");
});

test("an owner saves a draft, discards it, and asks for the removal of another listing", async ({
  page,
}) => {
  await signIn(page, await createAccount("Rowan Ellis"));
  await page.goto("/listings/new");
  await page.getByLabel("Business Name").fill("Half a Café");
  await page.getByRole("button", { name: "Save and finish later" }).click();
  const draft = page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: "Half a Café" }) });
  await expect(draft).toContainText("Not finished");
  await checkPage(page, "listings, with a draft");

  await draft.getByRole("link", { name: "Finish listing: Half a Café" }).click();
  await expect(page.getByLabel("Business Name")).toHaveValue("Half a Café");
  await page.goto("/listings");
  await draft.getByRole("link", { name: "Discard: Half a Café" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Discard “Half a Café”?");
  await checkPage(page, "draft, to be discarded");
  await page.getByRole("link", { name: "Keep it" }).click();
  await draft.getByRole("link", { name: "Discard: Half a Café" }).click();
  await page.getByRole("button", { name: "Discard draft" }).click();
  await expect(page.getByText("Draft discarded.")).toBeVisible();
  await expect(page.getByText("Half a Café")).toHaveCount(0);

  await page.goto("/listings/new");
  await fillListing(page, "A whole Café");
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  await page.goto("/listings");
  const card = page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: "A whole Café" }) });
  await card.getByText("Manage", { exact: true }).click();
  await card.getByRole("link", { name: "Request removal: A whole Café" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "Ask the team to remove “A whole Café”?",
  );
  await checkPage(page, "listing, removal question");
  await page.getByRole("button", { name: "Request removal" }).click();
  await expect(card).toContainText("Removal requested");
  await checkPage(page, "listings, with a removal request");
  await card.getByText("Manage", { exact: true }).click();
  await card.getByRole("button", { name: "Cancel request: A whole Café" }).click();
  await expect(card).not.toContainText("Removal requested");
});
