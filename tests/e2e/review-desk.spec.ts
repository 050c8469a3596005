import { addListings, createAccount, dataApi, demo } from "./data-api";
import { checkPage, expect, scripted, signIn, test } from "./journey";

let queues = 0;
/** A US state that only the listings of one journey are in, so that a filter finds these alone. */
const ownState = () => {
  queues += 1;
  return `D${process.pid}x${Date.now().toString(36)}x${queues}`;
};

async function statusesIn(state: string) {
  const rows = await (
    await dataApi(demo.admin)
  ).get(`places?select=status&state=eq.${state}&order=name`);
  return rows.map(({ status }) => status);
}

test("an admin approves several listings at once, sees why one was not approved, and undoes the approval", async ({
  page,
}) => {
  const owner = await createAccount("Sam Rivera");
  const state = ownState();
  const ids = await addListings(owner, ["Desk A", "Desk B", "Desk C"], { state });
  await (
    await dataApi(demo.admin)
  ).patch(`places?id=eq.${ids[1]}`, { owner: null, owner_email: null });

  await signIn(page, demo.admin);
  await page.goto(`/admin/new?state=${state}&sort=name`);
  await expect(page.getByRole("row")).toHaveCount(4);
  await page.getByRole("link", { name: "Select this page" }).click();
  await expect(page.getByRole("checkbox", { name: "Choose Desk C" })).toBeChecked();
  await page.getByRole("checkbox", { name: "Choose Desk C" }).uncheck();
  await page.getByRole("button", { name: "Approve", exact: true }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approve 2 listings?");
  await expect(page.getByRole("row").filter({ hasText: "Desk A" })).toContainText(
    "Will be approved",
  );
  await expect(page.getByRole("row").filter({ hasText: "Desk B" })).toContainText(
    "This listing does not have an owner_email.",
  );
  await checkPage(page, "decision, to be confirmed");
  expect(await statusesIn(state)).toEqual(["new", "new", "new"]);
  await page.getByRole("button", { name: "Approve 1 listing" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approved 1, not approved 1");
  await checkPage(page, "decision, with one listing not approved");
  expect(await statusesIn(state)).toEqual(["published", "new", "new"]);
  await page.getByRole("link", { name: /^Mend it: Desk B/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Desk B");
  await page.goBack();

  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Undone 1");
  await checkPage(page, "decision, undone");
  expect(await statusesIn(state)).toEqual(["new", "new", "new"]);
  await page.getByRole("link", { name: "Back to the listings" }).click();
  await expect(page.getByRole("row")).toHaveCount(4);
});

test("250 new listings are approved with three pages and two forms", async ({ page }) => {
  const owner = await createAccount("Sam Rivera");
  const state = ownState();
  await addListings(
    owner,
    Array.from({ length: 250 }, (_, n) => `Crowd ${n}`),
    { state },
  );
  await signIn(page, demo.admin);
  const forms: string[] = [];
  const pages = new Set<string>();
  page.on("request", (request) => void (request.method() === "POST" && forms.push(request.url())));
  page.on("framenavigated", (frame) => void pages.add(frame.url()));
  await page.goto(`/admin/new?state=${state}`);
  await page.getByLabel("Select all 250 listings that match this filter").check();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("button", { name: "Approve 250 listings" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approved 250");
  expect(forms).toHaveLength(2);
  expect(pages.size).toBe(3);
  expect(new Set(await statusesIn(state))).toEqual(new Set(["published"]));
});

test("when two admins approve the same queue, each listing is approved once, and the second admin sees that", async ({
  page,
  browser,
}) => {
  const owner = await createAccount("Sam Rivera");
  const second = await createAccount("Kai Two", { admin: true });
  const state = ownState();
  const ids = await addListings(owner, ["Both A", "Both B", "Both C"], { state });

  const context = await browser.newContext({
    javaScriptEnabled: scripted(),
    baseURL: process.env["E2E_APP_URL"]!,
  });
  const other = await context.newPage();
  await signIn(page, demo.admin);
  await signIn(other, second);
  await other.goto(`/admin/listings/${ids[2]}?state=${state}&sort=name`);
  await other.getByRole("button", { name: "Start reviewing" }).click();
  await expect(other.getByText("You are reviewing this listing")).toBeVisible();

  const queue = `/admin/new?state=${state}&sort=name`;
  for (const one of [page, other]) {
    await one.goto(queue);
    await one.getByLabel("Select all 3 listings that match this filter").check();
    await one.getByRole("button", { name: "Approve", exact: true }).click();
  }
  await expect(page.getByRole("row").filter({ hasText: "Both C" })).toContainText(
    "Kai Two is reviewing it.",
  );
  await other.getByRole("button", { name: "Approve 3 listings" }).click();
  await expect(other.getByRole("heading", { level: 1 })).toHaveText("Approved 3");
  await page.getByRole("button", { name: "Approve 3 listings" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approved 0, not approved 3");
  await expect(page.getByRole("row").filter({ hasText: "Both A" })).toContainText(
    "This listing is already published.",
  );
  expect(await statusesIn(state)).toEqual(["published", "published", "published"]);
  await context.close();
});

test("an admin filters a table, saves the filter as a view, opens it, and deletes it", async ({
  page,
}, { project }) => {
  const name = `Mine ${project.name} ${Date.now()}`;
  await signIn(page, demo.admin);
  await page.goto("/admin/listings");
  await page.getByText("More filters").click();
  await page.getByLabel("Has an owner e-mail").selectOption("No");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByText(/^\d+ listings? found$/)).toBeVisible();
  await page.getByText("Save this filter as a view").click();
  await page.getByLabel("Name of the view").fill(name);
  await page.getByRole("button", { name: "Save view" }).click();
  await expect(page.getByText(`“${name}” is saved.`)).toBeVisible();
  await checkPage(page, "listings table, with a view saved");
  await page.goto("/admin/premium");
  await page.getByRole("navigation", { name: "Saved views" }).getByRole("link", { name }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("All Listings");
  await expect(page.getByLabel("Has an owner e-mail")).toHaveValue("no");
  await page.getByText("Save this filter as a view").click();
  await page.getByRole("button", { name: `Delete “${name}”` }).click();
  await expect(page.getByText("The view is deleted.")).toBeVisible();
  await expect(page.getByRole("link", { name })).toHaveCount(0);
});
