/** Where the focus is after something was done, for people who use a keyboard or a screen reader. */
import { randomUUID } from "node:crypto";

import { addListings, createAccount, newEmail } from "./data-api";
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

test("a search keeps the focus in its field", async ({ page }) => {
  const owner = await createAccount("Keyboard Sam");
  await addListings(owner, ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir"]);
  await signIn(page, owner);
  await page.goto("/listings");
  await scriptRuns(page);
  const search = page.getByRole("searchbox");
  await search.fill("Cedar");
  await search.press("Enter");
  await expect(page).toHaveURL(/search=Cedar/);
  await expect(page.getByRole("heading", { name: "Birch" })).toHaveCount(0);
  await expect(search).toBeFocused();
});

test("what is wrong with a field that the form asks no more is shown with the field", async ({
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
