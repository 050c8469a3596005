/** The form of a listing in a browser: what stays in view, what is hidden, and what is said near a limit. */
import type { Page } from "playwright/test";

import { addListings, approveListing, createAccount } from "./data-api";
import { checkPage, expect, scripted, scriptRuns, signIn, test } from "./journey";

const PHONE = { width: 360, height: 640 };

/** How the focused element, or the target of the URL, is covered by what stays in view; null if it isn't. */
const findCover = (page: Page) =>
  page.evaluate(() => {
    const target = document.querySelector(":target");
    const element = document.activeElement === document.body ? target : document.activeElement;
    if (!element || element.closest(".form-bar, .top-bar")) return null;
    const { top, height } = element.getBoundingClientRect();
    // Of a text area, the browser brings the line into view that is being written.
    const bottom = top + Math.min(height, 60);
    const bar = document.querySelector(".form-bar")!.getBoundingClientRect();
    const frame = document.querySelector(".top-bar")!.getBoundingClientRect();
    const name = `${element.tagName} ${element.id}`;
    if (bottom > bar.top + 1 && top < bar.bottom) return `${name} is under the bar`;
    return top < frame.bottom - 1 && bottom > frame.top ? `${name} is under the top bar` : null;
  });

/** An owner with a listing that is live. */
async function openForm(page: Page, back = "") {
  const email = await createAccount("Robin Vale");
  const [id] = await addListings(email, ["Bar in View"]);
  await approveListing(id!);
  await signIn(page, email);
  await page.goto(`/listings/${id}${back}`);
  return id;
}

test("the bar stays in view on a phone, and never over what has the focus or is linked to", async ({
  page,
}) => {
  await page.setViewportSize(PHONE);
  await openForm(page);
  const save = page.getByRole("button", { name: "Save Updates" });
  await expect(save).toBeInViewport();
  await page.getByLabel("Business Name").focus();
  const covered: string[] = [];
  for (let count = 0; count < 60; count++) {
    await page.keyboard.press("Tab");
    const cover = await findCover(page);
    if (cover) covered.push(cover);
    if (await save.evaluate((button) => button === document.activeElement)) break;
  }
  expect(covered).toEqual([]);
  await expect(save).toBeFocused();

  await page.getByRole("link", { name: "Authorization" }).click();
  await expect(page.getByRole("heading", { name: "Authorization" })).toBeInViewport();
  await expect(save).toBeInViewport();

  await page.getByLabel("Website").fill("fern.example");
  await page.getByLabel("Business Name").fill("");
  await save.click();
  await page.getByRole("link", { name: "Enter the name of your business." }).click();
  await expect(page.getByLabel("Business Name")).toBeInViewport({ ratio: 1 });
  expect(await findCover(page)).toBeNull();
  // Following one link keeps the other errors.
  await expect(page.getByText("1 to fix")).toHaveCount(2);
  await page.getByRole("link", { name: /include https/ }).click();
  await expect(page.getByLabel("Website")).toBeFocused();
  expect(await findCover(page)).toBeNull();
});

test("beside the form on a wide screen, the bar stays in view as well", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 700 });
  await openForm(page);
  await page.getByLabel("Website").focus();
  await expect(page.getByRole("button", { name: "Save Updates" })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("link", { name: "About the business" })).toBeInViewport({ ratio: 1 });
  await expect(page.getByText("Our team reviews changes before they go live.")).toBeVisible();
});

/** The lines of the preview that its lower edge cuts through, and how far the page scrolls sideways. */
const findCutLines = (page: Page) =>
  page.evaluate(() => {
    const card = document.querySelector(".live-preview .card")!;
    const { bottom, right } = card.getBoundingClientRect();
    const text = document.createRange();
    text.selectNodeContents(card);
    const cut = [...text.getClientRects()].filter(
      (line) => line.left < right && line.top < bottom && line.bottom > bottom,
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    return { cut: cut.length, sideways: scrollWidth - clientWidth };
  });

test("in a low window, the preview shows only whole lines, and hides what doesn't fit", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openForm(page);
  for (const height of [700, 740, 770, 790, 810, 830]) {
    await page.setViewportSize({ width: 1280, height });
    expect(await findCutLines(page), `${height} px`).toEqual({ cut: 0, sideways: 0 });
  }
});

test("the buttons stay where they are when a draft is saved, and when it can't be", async ({
  page,
}) => {
  test.skip(!scripted(), "Drafts while typing need script.");
  for (const size of [PHONE, { width: 1280, height: 800 }]) {
    await page.setViewportSize(size);
    await openForm(page);
    const save = page.getByRole("button", { name: "Save Updates" });
    const status = page.locator("[data-draft-status]");
    await page.getByLabel("Website").fill("https://typed.example");
    const before = await save.boundingBox();
    await expect(status).toContainText("Saved as a draft");
    await expect(status).toBeInViewport({ ratio: 1 });
    expect(await save.boundingBox()).toEqual(before);

    await page.route(/\/drafts\b/, (route) => route.abort());
    await page.getByLabel("Website").fill("https://again.example");
    await expect(status).toContainText("We couldn’t save a draft.");
    await expect(status).toBeInViewport({ ratio: 1 });
    expect(await save.boundingBox()).toEqual(before);
    await page.unroute(/\/drafts\b/);
  }
});

test("the buttons stay where they are while the preview above them grows", async ({ page }) => {
  test.skip(!scripted(), "Without script, the preview is of what is saved.");
  await page.setViewportSize({ width: 1280, height: 1100 });
  await signIn(page, await createAccount("Growing Sam"));
  await page.goto("/listings/new");
  const press = page.getByRole("button", { name: "Submit For Approval" });
  const preview = page.getByRole("region", { name: "How it looks in the app" });
  const before = await press.boundingBox();
  // Not by fill(), which scrolls.
  await page.getByLabel("Business Name").evaluate((field: HTMLInputElement) => {
    field.focus({ preventScroll: true });
  });
  await page.keyboard.insertText("The Long Way Home Bookshop, Café and Garden on the Corner");
  await expect(preview).toContainText("Garden on the Corner");
  expect(await press.boundingBox()).toEqual(before);
});

test("an address typed and not looked up is found on submit, stands for mail too, and saving leads back", async ({
  page,
}) => {
  const id = await openForm(page, "?back=%2Flistings%3Fsearch%3Dbar");
  const mailing = page.locator("[name=mailingaddress]");
  await expect(page.getByLabel("Mailing address is the same as the address")).toBeChecked();
  await expect(mailing).toBeHidden();
  await page.getByLabel("Mailing address is the same as the address").uncheck();
  await expect(mailing).toBeVisible();
  await page.getByLabel("Mailing address is the same as the address").check();

  await page.locator("[name=rawaddress]").fill("2114 SE Division St, Portland, OR 97214");
  await page.getByRole("button", { name: "Save Updates" }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  if (scripted()) await expect(page.locator(".error-summary")).toBeFocused();
  await expect(page.locator("[name=rawaddress_pick][type=radio]")).toBeChecked();
  await checkPage(page, "listing form, an address found on submit");
  await page.getByRole("button", { name: "Save Updates" }).click();
  await expect(page).toHaveURL(/\/listings\?search=bar$/);
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();

  // What waits is previewed as it would look, and withdrawn after a question.
  await page.goto(`/listings/${id}/preview`);
  await expect(page.getByText("2114 SE Division St")).toBeVisible();
  await page.getByRole("link", { name: "Edit listing" }).click();
  await page.getByRole("link", { name: "Withdraw these changes" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Withdraw these changes?");
  await page.getByRole("button", { name: "Withdraw changes" }).click();
  await expect(page.getByText(/The approved version is live, as before/)).toBeVisible();
});

test("a browser that fills in the name, or one of the addresses, from its user's own contact fills in nothing else", async ({
  page,
}) => {
  await openForm(page);
  if (scripted()) await scriptRuns(page);
  await page.getByLabel("Mailing address is the same as the address").uncheck();
  const fields = ["name", "rawaddress", "mailingaddress", "public_email", "phone"] as const;
  const control = (name: string) => page.locator(`main input[name="${name}"]`);
  for (const chosen of fields) {
    await control(chosen).focus();
    await expect(control(chosen)).toBeFocused();
    const others = fields.filter((name) => name !== chosen);
    // Chrome fills in what is "off" as well, and what has no section along with all else that has none.
    const sections = await Promise.all(
      others.map(
        async (name) =>
          /^section-\S+/.exec((await control(name).getAttribute("autocomplete")) ?? "")?.[0],
      ),
    );
    expect(sections, chosen).not.toContain(undefined);
    expect(new Set(sections).size, chosen).toBe(others.length);
  }
});

test("a limit is shown near the limit with script, and before typing without script", async ({
  page,
  way,
}) => {
  await openForm(page);
  const about = page.getByLabel("About/Bio");
  const hint = page.locator("#listing-description-description");
  if (scripted()) {
    await expect.poll(() => hint.innerText()).not.toContain("At most");
    await about.fill("x".repeat(4_400));
    await expect(page.getByText(/characters left/)).toHaveCount(0);
    await about.fill("x".repeat(4_600));
    await expect(page.getByText("400 characters left")).toBeVisible();
  } else if (way === "off" || way === "light") {
    // A browser that could run script hides `<noscript>`. Where script is blocked, an error says the limit.
    expect(await hint.innerText()).toContain("At most 5,000 characters.");
  }
});

test("a card shows how the listing looks: as it is saved, and with script as it is typed", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await openForm(page);
  const card = page.getByRole("region", { name: "How it looks in the app" });
  await expect(card).toContainText("Bar in View");
  await expect(card).toBeInViewport({ ratio: 1 });
  const website = card.locator(".badge", { hasText: "Website" });
  await expect(website).toBeHidden();

  const name = "<b onclick=alert(1)>Fern</b>";
  await page.getByLabel("Business Name").fill(name);
  await page.getByLabel("Category").selectOption({ label: "Café or Bakery" });
  await page.getByLabel("About/Bio").fill(`Rye. ${"Sourdough ".repeat(40)}`);
  await page.getByLabel("Website").fill("fern.example");
  await page.getByLabel("Mailing address is the same as the address").uncheck();
  await page.locator("[name=mailingaddress]").fill("77 Only For Mail");
  await page.locator("[name=rawaddress]").fill("88 As It Was Typed");
  if (!scripted()) await expect(card).toContainText("Bar in View");
  // Without script, a form that is rejected shows what was typed.
  if (!scripted()) await page.getByRole("button", { name: "Save Updates" }).click();
  await expect(card).toContainText(name);
  await expect(card).toContainText("Café or Bakery");
  await expect(card).toContainText(/Rye\. (Sourdough ){5,12}Sourdough…/);
  await expect(website).toBeVisible();
  await expect(card.locator("b")).toHaveCount(0);
  await expect(card).not.toContainText("Only For Mail");
  await expect(card).not.toContainText("As It Was Typed");
  if (!scripted()) return;

  await page.locator("[name=rawaddress]").fill("2114 SE Division St, Portland, OR");
  await page.locator(".suggestions [role=option]").first().click();
  await expect(page.locator("[name=rawaddress]")).toBeFocused();
  await expect(card).toContainText("Portland");
  await page.getByLabel("Business Name").fill("");
  await expect(card).toContainText("Your listing");
});

test("on a phone, the bar leads to the card", async ({ page }) => {
  await page.setViewportSize(PHONE);
  const id = await openForm(page);
  await page.getByRole("link", { name: "Preview", exact: true }).click();
  const card = page.getByRole("region", { name: "How it looks in the app" });
  await expect(card.getByText("Bar in View")).toBeInViewport();
  const saved = card.getByRole("link", { name: "See the saved version in a new tab" });
  await expect(saved).toHaveAttribute("href", `/listings/${id}/preview`);
});

test("letters twice as large leave more than half of a phone’s window to the fields", async ({
  page,
  browserName,
}) => {
  test.skip(browserName !== "chromium", "Only Chromium lets a test set the size of text.");
  await page.setViewportSize({ width: 390, height: 844 });
  const browser = await page.context().newCDPSession(page);
  await browser.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
  await openForm(page);
  await page.getByLabel("About/Bio").scrollIntoViewIfNeeded();
  const room = await page.evaluate(() => {
    const edge = (bar: string) => document.querySelector(bar)!.getBoundingClientRect();
    return (Math.min(edge(".form-bar").top, innerHeight) - edge(".top-bar").bottom) / innerHeight;
  });
  expect(room).toBeGreaterThan(0.5);
});
