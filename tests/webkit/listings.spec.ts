/** The form of a listing: its questions, what is rejected, and what Back and a reload do with it. */
import { expect } from "playwright/test";

import { addListings, createAccount, dataApi } from "../e2e/data-api";
import { LEFT_TOO_EARLY, scripted, signIn, test } from "./journey";
import type { Tab } from "./tab";

const QUESTION = "Online Shopping Category";

async function namesOf(email: string) {
  const listings = await (await dataApi(email)).get("places?select=name,online_categories");
  return listings.map(({ name }) => name);
}

/** Fills in a new listing but for its description. Its address is found when it is sent. */
async function fillMost(tab: Tab, name: string): Promise<void> {
  await tab.fill("Business Name", name);
  await tab.choose("Category", "Café or Bakery");
  await tab.fill("Address", "1 Castro St, San Francisco, CA 94114");
  await tab.check("Mailing address is the same as the address");
  await tab.check("I agree to have this listing shown publicly");
  await tab.check("I certify that this business");
}

/** Sends a new listing whose address is not looked up yet: it is found, and sent with the form. */
async function submit(tab: Tab): Promise<void> {
  await tab.press("Submit For Approval");
  await tab.sees("There is a problem");
  await tab.press("Submit For Approval");
}

test("a new listing is rejected with what was typed, fixed, and sent with the extra question of its category", async ({
  tab,
}) => {
  const email = await createAccount("Zoë O’Hara");
  await signIn(tab, email);
  await tab.open("/listings/new");
  await fillMost(tab, "Café Ünder “The” Rainbow");
  await tab.choose("Category", "Online Shopping");
  if (!scripted()) await tab.press("Show extra questions");
  await tab.check("Jewelry", QUESTION);
  await tab.press("Submit For Approval");
  await tab.sees("There is a problem", "Tell people about your business.");
  await tab.has("Business Name", "Café Ünder “The” Rainbow");
  await tab.hasChecked("Jewelry", true, QUESTION);
  await tab.fill("About/Bio", "A place for everyone.");
  await tab.press("Submit For Approval");
  await tab.sees("Your listing has been submitted for review!");
  const [listing] = await (await dataApi(email)).get("places?select=name,city,online_categories");
  expect(listing).toMatchObject({ name: "Café Ünder “The” Rainbow", city: "San Francisco" });
  expect(listing!["online_categories"]).toHaveLength(1);
  await tab.open("/listings");
  await tab.sees("Café Ünder “The” Rainbow", "Pending Review");
});

test("a category that is chosen before script arrives brings its questions when it does", async ({
  tab,
  network,
}) => {
  test.skip(!scripted(), "There is no script to wait for.");
  await signIn(tab, await createAccount("Early Sam"));
  const scriptsArrive = network.holdScripts();
  await tab.open("/listings/new");
  await tab.choose("Category", "Online Shopping");
  await tab.fill("Business Name", "Typed early");
  await tab.shows("button", "Show extra questions");
  scriptsArrive();
  await tab.scriptRuns();
  await tab.shows("button", "Show extra questions", false);
  await tab.check("Jewelry", QUESTION);
  await tab.has("Business Name", "Typed early");
});

test("a listing that is sent again after Back is one listing", async ({ tab }) => {
  const email = await createAccount("Again Sam");
  await signIn(tab, email);
  await tab.open("/listings/new");
  await tab.isAt(/\?draft=/);
  const form = await tab.path();
  const fill = async () => {
    await fillMost(tab, "Sent Twice");
    await tab.fill("About/Bio", "A place for everyone.");
    await submit(tab);
  };
  await fill();
  await tab.sees("Your listing has been submitted for review!");
  // Without script, the answer to a form is a page that the browser asks for again only after a question.
  await (scripted() ? tab.back() : tab.open(form));
  await tab.isAt(form);
  await fill();
  await tab.seesHeading(/^Welcome/);
  expect(await namesOf(email)).toEqual(["Sent Twice"]);
});

test("Back to a form that is half filled in has what was typed", async ({ tab, way }) => {
  test.skip(way === "late", LEFT_TOO_EARLY);
  await signIn(tab, await createAccount("Restored Sam"));
  await tab.open("/listings/new");
  await tab.fill("Business Name", "Typed and left");
  await tab.fill("About/Bio", "Two\nlines");
  await tab.hasLoaded();
  await tab.open("/privacy");
  await tab.hasLoaded();
  await tab.back();
  await tab.has("Business Name", "Typed and left");
  await tab.has("About/Bio", "Two\nlines");
});

test("a form that is half filled in is offered as a draft, and a reload of it has what was typed", async ({
  tab,
}) => {
  const email = await createAccount("Reloading Sam");
  const [id] = await addListings(email, ["As It Is"]);
  await signIn(tab, email);
  await tab.open(`/listings/${id}`);
  await tab.fill("Business Name", "As It Will Be");
  if (scripted()) await tab.sees("Saved as a draft");
  else {
    await tab.press("Finish later");
    await tab.sees("Draft saved.");
  }
  await tab.open(`/listings/${id}`);
  await tab.sees("You have changes that weren’t submitted");
  await tab.follow("Continue");
  await tab.has("Business Name", "As It Will Be");
  await tab.reload();
  await tab.has("Business Name", "As It Will Be");
});
