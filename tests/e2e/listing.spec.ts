import type { Page } from "playwright/test";

import { createAccount, demo, newEmail, readPublicly } from "./data-api";
import {
  checkPage,
  expect,
  fillListing,
  pressLogout,
  scripted,
  signIn,
  signOut,
  signUp,
  submitLogin,
  test,
} from "./journey";

test("a newcomer signs up, adds a listing, and an admin approves it and its edit", async ({
  page,
}, { project }) => {
  const email = newEmail();
  const name = `Café Ünder “The” Rainbow ${project.name} ${Date.now()}`;

  await signUp(page, email, "Zoë O’Hara");
  await expect(page.getByText("Your email address is confirmed.")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome, Zoë O’Hara");
  await page.goto("/listings");
  await expect(page.getByText(/Let.s get your organization on the map!/)).toBeVisible();
  await checkPage(page, "listings, none yet");

  await page.getByRole("link", { name: "Add New Listing" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Add a listing");

  // Rejected: everything typed is retained, and each reason links to its field.
  await page.getByLabel("Business Name").fill(name);
  await page.getByLabel("Phone").fill("+1 201 555 0123");
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(page).toHaveTitle(/^Error: /);
  await expect(page.getByLabel("Business Name")).toHaveValue(name);
  await expect(page.getByLabel("Phone")).toHaveValue("+1 201 555 0123");
  await checkPage(page, "listing form, rejected");
  await page.getByRole("link", { name: "Tell people about your business." }).click();
  await expect(page.getByLabel("About/Bio")).toBeInViewport();

  await fillListing(page, name);
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  await page.goto("/listings");
  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
  await expect(card).toContainText("Pending Review");
  await expect(card.getByRole("link", { name: `Edit listing: ${name}` })).toBeVisible();
  await pressLogout(page);

  await submitLogin(page, demo.admin);
  await expect(page.getByRole("button", { name: "Logout" })).toBeVisible();
  await page.goto("/admin");
  await page.getByRole("link", { name: /^New \d+ waiting$/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("New");
  await approve(page, name);
  await page.getByRole("link", { name: "Back to the queue" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("New");
  await expect(page.getByRole("row").filter({ hasText: name })).toHaveCount(0);
  await signOut(page);

  await signIn(page, email);
  await page.goto("/listings");
  await expect(card).toContainText("Published");

  // An edit of a published listing waits for review, and its owner sees both versions.
  await card.getByRole("link", { name: `Edit listing: ${name}` }).click();
  await page.getByLabel("About/Bio").fill("A place for everyone, and their dogs.");
  await page.getByRole("button", { name: "Save Updates" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  await page.goto("/listings");
  await expect(card).toContainText("Pending Review");
  await card.getByRole("link", { name: `Edit listing: ${name}` }).click();
  const change = page.getByRole("row").filter({ hasText: "About/Bio" });
  await expect(change).toContainText("A place for everyone.");
  await expect(change).toContainText("A place for everyone, and their dogs.");
  await checkPage(page, "listing form, with an edit under review");
  expect(await publicDescription(name)).toBe("A place for everyone.");
  await signOut(page);

  // Approving the edit publishes it.
  await signIn(page, demo.admin);
  await page.goto("/admin/pending");
  await approve(page, name);
  expect(await publicDescription(name)).toBe("A place for everyone, and their dogs.");
});

/** Finds a listing in a queue, and approves it on the page that asks to confirm. */
async function approve(page: Page, name: string) {
  await page.getByRole("searchbox", { name: "Name" }).fill(name);
  await page.getByRole("searchbox", { name: "Name" }).press("Enter");
  // Until then the row may be that of the whole queue, whose place the result takes.
  await expect(page.getByText("1 found")).toBeVisible();
  await page.getByRole("row").filter({ hasText: name }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approve 1 listing?");
  await page.getByRole("button", { name: "Approve 1 listing" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("1 listing approved");
  await expect(page.getByRole("listitem").filter({ hasText: name })).toBeVisible();
}

/** The description that the map and the mobile app show of a listing. */
async function publicDescription(name: string): Promise<unknown> {
  const [listing] = await readPublicly(
    `public_places?select=description&name=eq.${encodeURIComponent(name)}`,
  );
  return listing?.["description"];
}

test("addresses are suggested while typing and picked with the keyboard; a failed lookup loses nothing", async ({
  page,
  context,
}) => {
  test.skip(
    !scripted(),
    "Suggestions need script; without it there is a button, which other journeys press.",
  );
  await signIn(page, await createAccount("Suggested Sam"));
  await page.goto("/listings/new");
  await page.getByLabel("Business Name").fill("Half a listing");
  const address = page.getByRole("combobox", { name: "Address", exact: true });
  await address.pressSequentially("2114 SE Division St, Portland OR");
  const suggestions = page
    .getByRole("listbox", { name: "Address: suggestions", exact: true })
    .getByRole("option");
  await expect(suggestions.first()).toContainText("Portland, OR");
  await checkPage(page, "listing form, with address suggestions");
  await address.press("ArrowDown");
  await address.press("Enter");
  await expect(page.getByText(/Selected: .*Portland, OR/)).toBeVisible();
  await expect(suggestions).toHaveCount(0);

  // The session ends, so the next lookup fails: what was typed stays.
  await context.clearCookies();
  const answered = page.waitForResponse((response) => response.url().endsWith("/addresses"));
  await address.pressSequentially(" 97214");
  await answered;
  await expect(page.getByText(/Selected: /)).toHaveCount(0);
  await expect(page.getByLabel("Business Name")).toHaveValue("Half a listing");
});
