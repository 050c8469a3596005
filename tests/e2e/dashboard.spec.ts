import { createAccount, demo } from "./data-api";
import { atNight, checkPage, expect, fillListing, scripted, signIn, test } from "./journey";

test("twenty listings fit in 2,400 px on a large screen and 4,500 px on a phone", async ({
  page,
  browserName,
}) => {
  test.skip(browserName !== "chromium", "Other browsers have other fonts.");
  await signIn(page, demo.owner);
  for (const [width, height] of [
    [1280, 2400],
    [360, 4500],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/listings");
    await expect(page.locator(".featured-card, .listing-row")).toHaveCount(20);
    await expect(page.getByRole("link", { name: "Upgrade now" })).toBeVisible();
    const tall = await page.evaluate(() => document.documentElement.scrollHeight);
    expect(tall, `height at ${width} px`).toBeLessThanOrEqual(height);
  }
});

test(
  "an owner of many listings pages through them, filters, and searches",
  atNight("off"),
  async ({ page }) => {
    // Without script on a small screen, with script on a large one.
    await page.setViewportSize({ width: scripted() ? 1280 : 360, height: 800 });
    await signIn(page, demo.owner);
    await page.goto("/listings");
    const named = (name: string) =>
      page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
    const featured = named("Fern & Flour Bakery");
    await expect(featured).toContainText("Published");
    await expect(
      page.getByText("Your payment for Wild Yeast Cider didn’t go through."),
    ).toBeVisible();

    // The numbers and the owner's actions open without script, too.
    await featured.getByText("By week").click();
    await expect(
      featured.getByRole("table", { name: "Views by week: Fern & Flour Bakery" }).getByRole("row"),
    ).toHaveCount(13);
    const hide = featured.getByRole("button", { name: "Hide listing: Fern & Flour Bakery" });
    await expect(hide).toBeHidden();
    await featured.getByLabel("More: Fern & Flour Bakery").click();
    await expect(hide).toBeVisible();
    await named("Nightjar Bar").getByLabel("More: Nightjar Bar").click();
    await expect(named("Nightjar Bar").getByText("The approved version is live.")).toBeVisible();
    await page.getByText("What you get").click();
    await expect(page.getByText("Your listing changes are approved first")).toBeVisible();
    // Nothing is half under the top bar.
    await page.getByRole("heading", { level: 1 }).scrollIntoViewIfNeeded();
    await checkPage(page, "listings, with weekly numbers, actions and the offer open");

    await page.getByRole("link", { name: "Next page" }).click();
    await expect(page.getByText("21–33 of 33 listings")).toBeVisible();
    await expect(page.getByRole("heading", { name: "Riverbend Reading Room" })).toBeVisible();
    await checkPage(page, "listings, last page");
    await page.getByRole("link", { name: "Previous page" }).click();
    await expect(page.getByText("1–20 of 33 listings")).toBeVisible();

    // An action leads back to what was shown, and so does the browser.
    await page.getByRole("link", { name: "Hidden 1" }).click();
    await expect(page).toHaveURL(/\/listings\?show=hidden$/);
    await expect(page.locator(".featured-card h3, .listing-row h3")).toHaveText([
      "Slow Tide Massage",
    ]);
    await checkPage(page, "listings, hidden ones");
    await page.getByLabel("More: Slow Tide Massage").click();
    await page.getByRole("link", { name: "Request removal: Slow Tide Massage" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      "Request removal of “Slow Tide Massage”?",
    );
    await page.getByRole("link", { name: "Cancel" }).click();
    await expect(page).toHaveURL(/\/listings\?show=hidden$/);
    await expect(page.locator(".featured-card h3, .listing-row h3")).toHaveText([
      "Slow Tide Massage",
    ]);
    await page.getByRole("link", { name: /^Needs attention \d+$/ }).click();
    await expect(page.getByRole("heading", { name: "Wild Yeast Cider" })).toBeVisible();
    await expect(page.getByText("Payment failed", { exact: true })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Fern & Flour Bakery" })).toHaveCount(0);
    await checkPage(page, "listings that need attention, with a failed payment");
    await page.goBack();
    await expect(page.getByRole("link", { name: "Hidden 1" })).toHaveAttribute(
      "aria-current",
      "true",
    );
    await expect(page.locator(".featured-card h3, .listing-row h3")).toHaveText([
      "Slow Tide Massage",
    ]);
    await page.getByRole("link", { name: "All 33" }).click();
    await expect(page.getByText("1–20 of 33 listings")).toBeVisible();

    await page.getByLabel("Search name, city or state").fill("riverbend TUCSON");
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page.getByText("1 listing found for “riverbend TUCSON”.")).toBeVisible();
    await expect(page).toHaveURL(/\/listings\?search=riverbend\+TUCSON$/);
    await expect(page.getByLabel("Search name, city or state")).toHaveValue("riverbend TUCSON");
    await expect(page.getByRole("heading", { name: "Riverbend Books Tucson" })).toBeVisible();

    await page.getByLabel("Search name, city or state").fill("nowhere at all");
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page.getByRole("heading", { name: "No listings found" })).toBeVisible();
    await checkPage(page, "listings, nothing found");
    await page.getByRole("link", { name: "Clear search" }).click();
    await expect(page.getByText("1–20 of 33 listings")).toBeVisible();
    await expect(page.getByLabel("Search name, city or state")).toHaveValue("");
  },
);

test(
  "an owner saves a draft, discards it, and asks for the removal of another listing",
  atNight("on"),
  async ({ page }) => {
    await signIn(page, await createAccount("Rowan Ellis"));
    await page.goto("/listings/new");
    await page.getByLabel("Business Name").fill("Half a Café");
    await page.getByRole("button", { name: "Finish later" }).click();
    const draft = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: "Half a Café" }) });
    await expect(draft).toContainText("Draft");
    await checkPage(page, "listings, with a draft");

    await draft.getByRole("link", { name: "Finish: Half a Café" }).click();
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
    await card.getByLabel("More: A whole Café").click();
    await card.getByRole("link", { name: "Request removal: A whole Café" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      "Request removal of “A whole Café”?",
    );
    await checkPage(page, "listing, removal question");
    await page.getByRole("button", { name: "Request removal" }).click();
    await expect(card).toContainText("Removal requested");
    await checkPage(page, "listings, with a removal request");
    await card.getByLabel("More: A whole Café").click();
    await card.getByRole("button", { name: "Cancel request: A whole Café" }).click();
    await expect(card).not.toContainText("Removal requested");
  },
);

test("Back returns to where the list was left, and a new page begins at its top", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 700 });
  await signIn(page, demo.owner);
  await page.goto("/listings");
  const scrolled = () => page.evaluate(() => Math.round(scrollY));
  const edit = page.getByRole("link", { name: "Edit listing: Nightjar Bar" });
  await edit.scrollIntoViewIfNeeded();
  await expect.poll(scrolled).toBeGreaterThan(500);
  const left = await scrolled();
  await edit.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Nightjar Bar");
  await expect.poll(scrolled).toBe(0);
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Business Listings");
  await expect.poll(scrolled).toBe(left);
  await page.reload();
  await expect.poll(scrolled).toBe(left);
});

test("the listings on the home page fill their card, however many fit beside one another", async ({
  page,
}) => {
  await signIn(page, demo.owner);
  for (const width of [360, 700, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto("/");
    const room = await page.locator(".first-listings").evaluate((card) => {
      const edge = (one: Element) => one.getBoundingClientRect().right;
      return edge(card) - edge(card.lastElementChild!);
    });
    expect(room, `${width} px`).toBeLessThan(3);
  }
});
