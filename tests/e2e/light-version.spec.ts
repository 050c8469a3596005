/** The light version, in a browser that would run script. */
import { createAccount } from "./data-api";
import {
  checkPage,
  expect,
  fillListing,
  pressLogout,
  scripted,
  scriptRuns,
  submitLogin,
  test,
} from "./journey";

test("a newcomer who chooses the light version adds a listing without a byte of script", async ({
  page,
}) => {
  test.skip(!scripted(), "Without script every page is like this.");
  const email = await createAccount("Light Sam");
  await page.goto("/login");
  await scriptRuns(page);

  const scripts: string[] = [];
  await page.getByRole("button", { name: "Light version" }).click();
  await expect(page.getByText("You’re using the light version.")).toBeVisible();
  page.on("request", (request) => {
    if (request.resourceType() === "script" || new URL(request.url()).pathname.endsWith(".js"))
      scripts.push(request.url());
  });
  await submitLogin(page, email);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.goto("/listings/new");
  await fillListing(page, "Light Bakery");
  await checkPage(page, "listing form, light version");
  await page.getByRole("button", { name: "Submit For Approval" }).last().click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  await page.goto("/listings");
  await expect(page.getByText("Light Bakery").first()).toBeVisible();
  expect(await page.evaluate("document.scripts.length")).toBe(0);
  expect(await page.evaluate("typeof window.__remixContext")).toBe("undefined");

  // The choice is the browser's, and so it stays.
  await pressLogout(page);
  expect(scripts).toEqual([]);
  await page.getByRole("button", { name: "Full version" }).click();
  await scriptRuns(page);
});
