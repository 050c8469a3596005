import type { Page } from "playwright/test";

import {
  checkPage,
  demo,
  expect,
  fillListing,
  newEmail,
  signIn,
  signOut,
  signUp,
  test,
} from "./journey";

test("a newcomer signs up, adds a listing, and an admin approves it", async ({ page }, {
  project,
}) => {
  const email = newEmail();
  const name = `Café Ünder “The” Rainbow ${project.name} ${Date.now()}`;

  await signUp(page, email, "Zoë O’Hara");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome, Zoë O’Hara");
  await page.goto("/listings");
  await expect(page.getByText(/Let.s get your organization on the map!/)).toBeVisible();
  await checkPage(page);

  await page.getByRole("link", { name: "Add New Listing" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Add a listing");
  await checkPage(page);

  // Refused: everything typed stays, and each reason leads to its field.
  await page.getByLabel("Business Name").fill(name);
  await page.getByLabel("Phone").fill("+1 201 555 0123");
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(page).toHaveTitle(/^Error: /);
  await expect(page.getByLabel("Business Name")).toHaveValue(name);
  await expect(page.getByLabel("Phone")).toHaveValue("+1 201 555 0123");
  await checkPage(page);
  await page.getByRole("link", { name: "Tell people about your business." }).click();
  await expect(page.getByLabel("About/Bio")).toBeInViewport();

  await fillListing(page, name);
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  await page.goto("/listings");
  const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
  await expect(card).toContainText("Pending Review");
  await expect(card.getByRole("link", { name: `Edit listing: ${name}` })).toBeVisible();
  await checkPage(page);
  await signOut(page);

  await signIn(page, demo.admin);
  await page.goto("/admin");
  await checkPage(page);
  await page.getByRole("link", { name: "New", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("New");
  await checkPage(page);
  await approve(page, name);
  await checkPage(page);
  await page.getByRole("link", { name: "Back to the listings" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("New");
  await expect(page.getByRole("row").filter({ hasText: name })).toHaveCount(0);
  await signOut(page);

  await signIn(page, email);
  await page.goto("/listings");
  await expect(card).toContainText("Published");

  // An edit of what is live waits, and both versions are shown.
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
  await checkPage(page);
  expect(await publicDescription(name)).toBe("A place for everyone.");
  await signOut(page);

  // Approved, it is what everybody sees.
  await signIn(page, demo.admin);
  await page.goto("/admin/pending");
  await approve(page, name);
  expect(await publicDescription(name)).toBe("A place for everyone, and their dogs.");
});

/** Ticks a listing in the table of the page, and approves it after a look at what will happen. */
async function approve(page: Page, name: string) {
  await page.getByRole("row").filter({ hasText: name }).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approve 1 listing?");
  await page.getByRole("button", { name: "Approve 1 listing" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approved 1");
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText("Approved");
}

/** What the map and the app show of a listing: asked as they ask, by nobody in particular. */
async function publicDescription(name: string): Promise<string | undefined> {
  const { E2E_SUPABASE_URL: url, E2E_PUBLISHABLE_KEY: apikey } = process.env as Record<
    string,
    string
  >;
  const response = await fetch(
    `${url}/rest/v1/public_places?select=description&name=eq.${encodeURIComponent(name)}`,
    { headers: { apikey: apikey! } },
  );
  return ((await response.json()) as { description: string }[])[0]?.description;
}

test("an address is suggested while it is typed, chosen by the keyboard, and never costs the form", async ({
  page,
  context,
}, { project }) => {
  test.skip(
    project.name === "script-off",
    "Suggestions while typing need script; without it there is the button.",
  );
  await signIn(page, demo.owner);
  await page.goto("/listings/new");
  await page.getByLabel("Business Name").fill("Half a listing");
  const address = page.getByRole("combobox", { name: "Address", exact: true });
  await address.pressSequentially("2114 SE Division St, Portland OR");
  const suggestions = page
    .getByRole("listbox", { name: "Address: suggestions", exact: true })
    .getByRole("option");
  await expect(suggestions.first()).toContainText("Portland, OR");
  await checkPage(page);
  await address.press("ArrowDown");
  await address.press("Enter");
  await expect(page.getByText(/Chosen: .*Portland, OR/)).toBeVisible();
  await expect(suggestions).toHaveCount(0);

  // The session ends, and the next look-up with it: what is typed stays where it is.
  await context.clearCookies();
  const answered = page.waitForResponse((response) => response.url().endsWith("/addresses"));
  await address.pressSequentially(" 97214");
  await answered;
  await expect(page.getByText(/Chosen: /)).toHaveCount(0);
  await expect(page.getByLabel("Business Name")).toHaveValue("Half a listing");
});
