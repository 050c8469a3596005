/** A connection that drops or is slow: nothing is lost, and the page says what it waits for. */
import { addListings, createAccount, dataApi } from "./data-api";
import { checkPage, expect, scripted, signIn, test } from "./journey";

const OFFLINE = "We can’t reach the server.";

test.skip(() => !scripted(), "Without script, the browser asks again itself.");

test("a form that is sent without a connection stays, and is saved once it is back", async ({
  page,
  context,
}) => {
  const email = await createAccount("Offline Sam");
  const [id] = await addListings(email, ["Café X"]);
  await signIn(page, email);
  await page.goto(`/listings/${id}`, { waitUntil: "networkidle" });
  const description = page.getByLabel("About/Bio");
  await description.fill("Typed on the train.");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Save Updates" }).click();
  await expect(page.getByText(OFFLINE)).toBeVisible();
  await expect(description).toHaveValue("Typed on the train.");
  await checkPage(page, "a form that waits for the connection");
  await context.setOffline(false);
  await expect(page).not.toHaveURL(/\/listings\/\d/);
  await expect(page.getByText(OFFLINE)).toBeHidden();
  const saved = await (await dataApi(email)).get(`places?select=description&id=eq.${id}`);
  expect(saved).toEqual([{ description: "Typed on the train." }]);
});

test("a line at the top shows that a slow page is coming, until it is there", async ({ page }) => {
  await signIn(page, await createAccount("Patient Sam"));
  await page.goto("/listings", { waitUntil: "networkidle" });
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/jobs\.data/, async (route) => {
    await held;
    await route.continue();
  });
  const line = page.locator(".page-coming");
  await page.getByRole("navigation").getByRole("link", { name: "Job Listings" }).click();
  await expect.poll(async () => (await line.boundingBox())?.width).toBeGreaterThan(50);
  expect((await line.boundingBox())!.y).toBe(0);
  answer();
  await expect(page).toHaveURL("/jobs");
  await expect(line).toHaveCount(0);
});
