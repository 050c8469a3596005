/** Jobs and newsletters, up to their payment. */
import { expect } from "playwright/test";

import { addListings, approveListing, createAccount, dataApi, readPublicly } from "../e2e/data-api";
import { scripted, signIn, test } from "./journey";

const SAFETY = "How does your company support queer and trans people?";

test("an owner posts a job of an ally-owned company, leaves the payment, and pays later", async ({
  tab,
}) => {
  const title = `Pastry chef ${Date.now()}`;
  await signIn(tab, await createAccount("Zoë O’Hara"));
  await tab.open("/jobs/new");
  if (scripted()) await tab.shows("field", SAFETY, false);
  await tab.fill("Job Title", title);
  await tab.check("The company is ally-owned");
  await tab.press("Save and pay");
  await tab.sees(
    "There is a problem",
    "Describe how your company supports queer and trans people.",
    "Choose at least one location.",
  );
  await tab.has("Job Title", title);
  await tab.fill(SAFETY, "With a policy that everyone has read.");
  await tab.choose("Category", "Food and Hospitality");
  await tab.fill("Description", "Laminate before sunrise.");
  await tab.check("Full time");
  await tab.check("Anywhere");
  await tab.fill("Company Name", "Fern & Flour");
  await tab.fill("Company Bio", "A bakery.");
  await tab.press("Save and pay");
  await tab.seesHeading("Pay");
  await tab.follow("Back without paying");
  await tab.sees("You left before paying.", "Pending payment");
  await tab.press(`Pay to activate listing: ${title}`);
  await tab.press("Pay $5");
  await tab.sees("Thank you!", "Published");
  expect(await readPublicly(`public_jobs?select=company_name&title=eq.${title}`)).toEqual([
    { company_name: "Fern & Flour" },
  ]);
});

test("an ally-owned company that is ticked before script arrives is asked about safety", async ({
  tab,
  network,
}) => {
  test.skip(!scripted(), "There is no script to wait for.");
  await signIn(tab, await createAccount("Early Sam"));
  const scriptsArrive = network.holdScripts();
  await tab.open("/jobs/new");
  await tab.check("The company is ally-owned");
  scriptsArrive();
  await tab.scriptRuns();
  await tab.hasChecked("The company is ally-owned");
  await tab.shows("field", SAFETY);
});

test("an owner sponsors two newsletters and pays once", async ({ tab }) => {
  const email = await createAccount("Rosa Vale");
  const [id] = await addListings(email, ["Rosa’s Brunch"]);
  await approveListing(id!);
  await signIn(tab, email);
  await tab.open("/sponsor/new");
  await tab.choose("Business", "Rosa’s Brunch");
  await tab.fill("Price per newsletter", "45.001");
  const dates = await tab.names("[name=dates], [type=checkbox]");
  const [one, other] = dates.slice(-2) as [string, string];
  await tab.check(one);
  await tab.check(other);
  await tab.press("Save and pay");
  await tab.sees("There is a problem", "Enter your promo text.");
  await tab.has("Price per newsletter", "45.001");
  await tab.hasChecked(one);
  await tab.fill("Promo text", "Red, green or both?");
  await tab.fill("Price per newsletter", "50.50");
  if (!scripted()) await tab.press("Update preview");
  await tab.sees("2 newsletters at $50.50");
  await tab.press("Save and pay");
  await tab.press("Pay $101.00");
  await tab.sees("Payment received. Your dates are booked!", "$101", "Paid");
  const orders = await (await dataApi(email)).get("sponsorships?select=paid");
  expect(orders).toEqual([{ paid: true }]);
});
