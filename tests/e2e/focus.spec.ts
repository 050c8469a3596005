/** Where the focus is after something was done, for people who use a keyboard or a screen reader. */
import { randomUUID } from "node:crypto";

import { addListings, createAccount, dataApi, demo, newEmail } from "./data-api";
import { appUrl, expect, scripted, scriptRuns, signIn, test } from "./journey";

test.beforeEach(() => {
  test.skip(
    !scripted(),
    "Without script each answer is a document, at whose beginning the browser is.",
  );
});

test("the same errors after a second try have the focus again", async ({ page }) => {
  await page.goto("/login");
  await scriptRuns(page);
  const password = page.getByLabel("Password");
  const summary = page.locator(".error-summary");
  await page.getByLabel("Email").fill("no-one@example.org");
  await password.fill("not this one");
  await password.press("Enter");
  await expect(summary).toBeFocused();
  await password.fill("nor this one");
  await password.press("Enter");
  await expect(summary).toBeFocused();
});

test("the focus is on the page’s content when what had it is gone", async ({ page }) => {
  const owner = await createAccount("Keyboard Sam");
  const [id] = await addListings(owner, ["Keyboard Café"]);
  const content = page.getByRole("main");
  await signIn(page, owner);

  // A row that was deleted.
  await page.goto(`/listings/${id}/managers`);
  await scriptRuns(page);
  const email = page.getByLabel("Email address");
  const friend = newEmail("friend");
  await email.fill(friend);
  await email.press("Enter");
  await expect(page.getByText(`Invitation sent to ${friend}.`)).toBeVisible();
  await page.getByRole("button", { name: /^Cancel/ }).press("Enter");
  await expect(page.getByText("Invitation canceled.")).toBeVisible();
  await expect(content).toBeFocused();

  // A form that begins anew, and again: the message is a new one for screen readers.
  await page.goto("/account");
  await scriptRuns(page);
  const message = page.getByText("Profile updated!");
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await expect(message).toBeVisible();
  await expect(content).toBeFocused();
  const first = await message.elementHandle();
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await expect.poll(() => first.evaluate((element) => element.isConnected)).toBe(false);
  await expect(message).toBeVisible();
});

test("the focus is on the page’s content when what had it before script ran is gone", async ({
  page,
}) => {
  const owner = await createAccount("Early Sam");
  const [id] = await addListings(owner, ["Early Café"]);
  await signIn(page, owner);
  await page.request.post(`/listings/${id}/managers`, {
    form: { intent: "invite", email: newEmail("friend"), submission_id: randomUUID() },
    headers: { Origin: appUrl() },
  });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/assets/*.js", (route) => arrived.then(() => route.continue()));
  await page.goto(`/listings/${id}/managers`, { waitUntil: "commit" });
  const cancel = page.getByRole("button", { name: /^Cancel/ });
  await cancel.focus();
  arrive();
  await scriptRuns(page);
  await expect(cancel).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Invitation canceled.")).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();
});

test("the focus is on the page’s content when the button that had it is hidden", async ({
  page,
}) => {
  await signIn(page, demo.admin);
  await page.goto("/admin/feedback?completed=yes");
  await scriptRuns(page);
  const selected = page.locator(".selection-bar");
  const check = async () => page.getByRole("checkbox").first().check();
  await check();
  await selected.getByRole("button", { name: "Reopen" }).press("Enter");
  await expect(page.getByText("1 reopened.")).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();

  // As it was.
  await page.goto("/admin/feedback");
  await check();
  await selected.getByRole("button", { name: "Archive/Done" }).click();
  await expect(page.getByText("1 archived.")).toBeVisible();
});

test("a search keeps the focus in its field, and what it has found is announced", async ({
  page,
}) => {
  const owner = await createAccount("Keyboard Sam");
  await addListings(owner, ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir"]);
  await signIn(page, owner);
  await page.goto("/listings");
  await scriptRuns(page);
  const search = page.getByRole("searchbox");
  // A screen reader announces what changes in an element that was there before.
  const status = await page.locator(".listing-filter [role=status]").elementHandle();
  await search.fill("Cedar");
  await search.press("Enter");
  await expect(page).toHaveURL(/search=Cedar/);
  await expect(page.getByRole("heading", { name: "Birch" })).toHaveCount(0);
  await expect(search).toBeFocused();
  expect(await status.evaluate((element) => element.textContent)).toContain(
    "1 listing found for “Cedar”.",
  );
});

test("what a filter of an admin has found is announced", async ({ page }) => {
  await signIn(page, demo.admin);
  for (const [path, field, none] of [
    ["/admin/users", "Name", "0 users found"],
    ["/admin/jobs", "Job title or company", "0 jobs found"],
    ["/admin/listings", "Name", "0 listings found"],
  ] as const) {
    await page.goto(path);
    await scriptRuns(page);
    const before = await page.getByRole("search").getByRole("status").last().elementHandle();
    await page.getByRole("searchbox", { name: field }).fill("Nothing has this name");
    await page.keyboard.press("Enter");
    await expect.poll(() => before.evaluate((element) => element.textContent)).toBe(none);
  }
});

test("an error in a field that the form no longer asks for is shown with the field", async ({
  page,
}) => {
  const owner = await createAccount("Hiring Sam");
  const [id] = await addListings(owner, ["Hiring Café"]);
  await signIn(page, owner);
  await page.goto("/jobs/new");
  await scriptRuns(page);
  const bio = page.getByLabel("Company Bio");
  await bio.fill("x".repeat(6_000));
  await page.getByLabel("Business", { exact: true }).selectOption(String(id));
  await expect(bio).toBeHidden();
  await page.getByRole("button", { name: "Save and pay later" }).click();
  await page.getByRole("link", { name: "Use at most 5,000 characters." }).click();
  await expect(bio).toBeFocused();
});

test("what has the focus is never under the bar at the end of the window", async ({
  page,
  browserName,
}) => {
  const admin = await dataApi(demo.admin);
  const edited = await admin.first("places?select=id&status=eq.pending-update");
  await signIn(page, demo.admin);
  for (const [path, bar, width, height, letters] of [
    ["/admin/new", ".selection-bar", 360, 740, 16],
    ["/admin/new", ".selection-bar", 390, 844, 16],
    ["/admin/new", ".selection-bar", 1280, 800, 16],
    [`/admin/listings/${edited}?view=pending`, ".decide-bar", 1280, 800, 32],
  ] as const) {
    // Only Chromium lets a test set the size of text.
    if (letters !== 16 && browserName !== "chromium") continue;
    await page.setViewportSize({ width, height });
    if (browserName === "chromium") {
      const browser = await page.context().newCDPSession(page);
      await browser.send("Page.setFontSizes", { fontSizes: { standard: letters } });
    }
    await page.goto(path);
    await scriptRuns(page);
    const checks = page.getByRole("checkbox");
    if ((await checks.count()) > 0) await checks.first().check();
    await expect(page.locator(bar)).toBeInViewport();
    const underTheBar = () =>
      page.evaluate((selector) => {
        const one = document.activeElement!;
        const bar = document.querySelector(selector)!;
        if (one === document.body || bar.contains(one)) return null;
        const [box, edge] = [one.getBoundingClientRect(), bar.getBoundingClientRect()];
        const isUnder =
          box.bottom > edge.top + 1 &&
          box.top < edge.bottom &&
          // The links beside the page scroll by themselves, and have the focus in Firefox.
          box.right > edge.left;
        return isUnder ? `${one.tagName} “${one.textContent.trim().slice(0, 40)}”` : null;
      }, bar);
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press("Tab");
      // Firefox scrolls a moment after the focus has moved.
      await expect
        .poll(underTheBar, { message: `${path}, ${width} px, letters of ${letters} px` })
        .toBeNull();
    }
  }
});
