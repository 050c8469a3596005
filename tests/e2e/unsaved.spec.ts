/** A half-filled form: kept as a draft, restored by the browser, or left only after a question. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { Dialog, Locator, Page } from "playwright/test";

import {
  addListings,
  approveListing,
  createAccount,
  dataApi,
  demo,
  newEmail,
  readPublicly,
} from "./data-api";
import {
  atNight,
  appUrl,
  checkPage,
  expect,
  fillListing,
  pressLogout,
  remembersUnloadedPages,
  restoresFields,
  scripted,
  scriptRuns,
  signIn,
  submitLogin,
  test,
} from "./journey";

const name = (page: Page) => page.getByLabel("Business Name");
const saved = (page: Page) =>
  page.getByText(/^Saved as a draft at \d+:\d\d [AP]M\. Only you can see it\.$/);
const CONSENT = /^Send me the newsletter/;
const offer = (page: Page) => page.getByText("You have changes that weren’t submitted");
const draftsOf = async (email: string) =>
  (await dataApi(email)).get("listing_drafts?select=id,form,expires,fields");

/** Records the questions before leaving, and answers them. */
function answerQuestions(page: Page, accept: () => boolean): string[] {
  const asked: string[] = [];
  page.on("dialog", (dialog: Dialog) => {
    asked.push(dialog.type());
    void (accept() ? dialog.accept() : dialog.dismiss());
  });
  return asked;
}

/** Focuses a field, and waits for the code that stores drafts, or asks: it loads and starts then. */
async function focusFirst(page: Page, field: Locator): Promise<void> {
  // The names of files are hashes.
  const code = page.waitForResponse(
    async (file) => file.url().endsWith(".js") && (await file.text()).includes("Saved as a draft"),
  );
  await field.focus();
  await page.evaluate((url) => import(url), (await code).url());
}

test("Back restores what was typed into a new listing", async ({ page }) => {
  test.skip(
    !scripted() && !restoresFields(),
    "Nothing does then, but for what was saved as a draft.",
  );
  await signIn(page, await createAccount("Restored Sam"));
  await page.goto("/listings/new");
  await name(page).fill("Typed and left");
  await page.getByLabel("About/Bio").fill("Two\nlines");
  const address = page.getByLabel("Address", { exact: true });
  await address.fill("1 Castro St");
  await page.goto("/privacy");
  await page.goBack();
  await expect(name(page)).toHaveValue("Typed and left");
  // With script it suggests addresses, and is in the draft alone.
  if (!scripted()) await expect(address).toHaveValue("1 Castro St");
  await expect(page.getByLabel("About/Bio")).toHaveValue("Two\nlines");
});

test("Back restores what was typed into an edit, or offers it", async ({ page }) => {
  test.skip(
    !scripted() && !restoresFields(),
    "Nothing does then, but for what was saved as a draft.",
  );
  const email = await createAccount("Editing Sam");
  const [id] = await addListings(email, ["As It Is"]);
  await signIn(page, email);
  await page.goto(`/listings/${id}`);
  await name(page).fill("As It Will Be");
  await page.goto("/privacy");
  await page.goBack();
  if (!restoresFields()) await page.getByRole("link", { name: "Continue" }).click();
  await expect(name(page)).toHaveValue("As It Will Be");
});

test("Back restores what was typed and ticked in My Account and the email settings, and no consent that was withdrawn since", async ({
  page,
  context,
}) => {
  test.skip(scripted() || !restoresFields(), "Script asks before such a form is left.");
  await signIn(page, await createAccount("Consenting Sam"));
  const [field, consent] = [page.getByLabel("Full name"), page.getByLabel(CONSENT)];
  const leaveAndComeBack = async (meanwhile?: () => Promise<void>) => {
    await page.goto("/privacy");
    await meanwhile?.();
    await page.goBack();
  };
  await page.goto("/account");
  await field.fill("Typed And Left");
  await consent.check();
  await leaveAndComeBack();
  await expect(field).toHaveValue("Typed And Left");
  await expect(consent).toBeChecked();
  await page.getByRole("button", { name: "Save" }).first().click();
  await expect(page.getByText("Profile updated!")).toBeVisible();

  await page.goto("/account");
  await leaveAndComeBack(async () => {
    const other = await context.newPage();
    await other.goto("/account");
    await other.getByLabel(CONSENT).uncheck();
    await other.getByRole("button", { name: "Save" }).first().click();
    await expect(other.getByText("Profile updated!")).toBeVisible();
  });
  await expect(consent).not.toBeChecked();

  await page.goto("/account/notices");
  const kind = page.getByLabel("You get a new message");
  await kind.check();
  await leaveAndComeBack();
  await expect(kind).toBeChecked();
});

test("Back puts nothing back into a form of what has changed since: neither a status nor a category that no one chose", async ({
  page,
}) => {
  const email = await createAccount("Changed Sam");
  const [id] = await addListings(email, ["Changed Meanwhile"]);
  const url = `/listings/${id}`;
  const choices = {
    status: page.locator("[name=status]"),
    category: page.locator("[name=category]"),
  };
  await approveListing(id!);
  await signIn(page, demo.admin);
  await page.goto(url);
  await expect(choices.status).toHaveValue("published");
  await page.goto("/privacy");
  await (await dataApi(demo.admin)).patch(`places?id=eq.${id}`, { status: "flagged", category: 4 });
  await page.goBack();
  await expect(choices.status).toHaveValue("flagged");
  await expect(choices.category).toHaveValue("4");
  if (scripted()) await scriptRuns(page);
  await expect(choices.status).toHaveValue("flagged");
  await page.getByLabel("Phone").fill("+1 505 555 0111");
  await page.getByRole("button", { name: "Save Updates" }).click();
  await expect(page.getByText("Saved. The listing is flagged.")).toBeVisible();
  expect(await readPublicly(`public_places?id=eq.${id}`)).toEqual([]);
});

test("a jump from one listing to another in the history shows what each one says", async ({
  page,
}) => {
  const email = await createAccount("Jumping Sam");
  const [one, other] = await addListings(email, ["The One", "The Other"]);
  await signIn(page, email);
  await page.goto("/listings");
  const open = async (listing: string) => {
    await page.getByRole("link", { name: `Edit listing: ${listing}` }).click();
    await expect(name(page)).toHaveValue(listing);
  };
  await open("The One");
  await page.getByRole("link", { name: "Business Listings" }).first().click();
  await open("The Other");
  await name(page).fill("The Other, Changed");
  await page.evaluate(() => history.go(-2));
  await expect(page).toHaveURL(new RegExp(`/listings/${one}\\b`));
  await expect(page).toHaveTitle(/The One/);
  await expect(name(page)).toHaveValue("The One");
  await page.evaluate(() => history.go(2));
  await expect(page).toHaveURL(new RegExp(`/listings/${other}\\b`));
  await expect(page).toHaveTitle(/The Other/);
  await expect(name(page)).toHaveValue(/^The Other/);
});

test("a jump from one draft to another stores what is typed in the one that is shown", async ({
  page,
}) => {
  const email = await createAccount("Drafting Sam");
  const api = await dataApi(email);
  const [one, other] = [randomUUID(), randomUUID()];
  for (const [id, draft] of [
    [one, "Draft One"],
    [other, "Draft Two"],
  ])
    await api.post("listing_drafts", { id, fields: { name: draft } });
  await signIn(page, email);
  await page.goto(`/listings/new?draft=${one}`);
  await page.getByRole("link", { name: "Business Listings" }).first().click();
  await page
    .getByRole("link", { name: /Draft Two/ })
    .first()
    .click();
  await expect(name(page)).toHaveValue("Draft Two");
  await page.evaluate(() => history.go(-2));
  await expect(page).toHaveURL(new RegExp(one));
  await expect(name(page)).toHaveValue("Draft One");
  if (!scripted()) return;
  await page.getByLabel("About/Bio").fill("Typed in the first one.");
  await expect(saved(page)).toBeVisible();
  const drafts = await draftsOf(email);
  expect(drafts.find(({ id }) => id === one)).toMatchObject({ fields: { name: "Draft One" } });
});

test("what someone else saved meanwhile is noticed, also when the page has loaded its data again", async ({
  page,
}) => {
  test.skip(!scripted(), "Without script, the fields and their version are of one document.");
  const email = await createAccount("Together Sam");
  const [id] = await addListings(email, ["Edited By Two"]);
  await signIn(page, email);
  await page.goto("/listings");
  await page.getByRole("link", { name: "Edit listing: Edited By Two" }).click();
  await focusFirst(page, name(page));
  await page.getByLabel("About/Bio").fill("Typed here.");
  const theirs = { description: "Saved in another window." };
  await (await dataApi(email)).patch(`places?id=eq.${id}`, theirs);
  // Back, and at once Forward: the page stays, and its data is loaded again.
  await page.route(/\/listings\.data/, () => {});
  const left = page.waitForRequest(/\/listings\.data/);
  await page.evaluate(() => history.back());
  await left;
  const asked = page.waitForRequest(new RegExp(`/listings/${id}\\.data`));
  await page.evaluate(() => history.forward());
  await asked;
  await expect(page.locator(".page-coming")).toHaveCount(0);
  await page.getByRole("button", { name: "Save Updates" }).click();
  await expect(page.getByText("by someone else while you were editing")).toBeVisible();
  await expect(page.getByText(theirs.description).first()).toBeVisible();
  expect(await (await dataApi(email)).get(`places?id=eq.${id}&select=description`)).toEqual([
    theirs,
  ]);
});

test("a draft that is saved again after Back is the same draft", async ({ page }) => {
  test.skip(!remembersUnloadedPages(), "Back leads to the page before it.");
  const email = await createAccount("Twice Sam");
  await signIn(page, email);
  await page.goto("/listings/new");
  await name(page).fill("Saved Twice");
  const save = page.getByRole("button", { name: "Finish later" });
  await save.click();
  await expect(page.getByText("Draft saved. Come back to it any time.")).toBeVisible();
  await page.goBack();
  await expect(name(page)).toHaveValue("Saved Twice");
  await name(page).fill("Saved Twice, Changed");
  await save.click();
  await expect(page.getByText("Draft saved. Come back to it any time.")).toBeVisible();
  expect((await draftsOf(email)).map(({ fields }) => (fields as { name: string }).name)).toEqual([
    "Saved Twice, Changed",
  ]);
});

test("a listing that is submitted again after Back is one listing", async ({ page }) => {
  const email = await createAccount("Again Sam");
  await signIn(page, email);
  await page.goto("/listings/new");
  await fillListing(page, "Submitted Twice");
  const form = page.url();
  await page.getByRole("button", { name: "Submit For Approval" }).last().click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  // Without script, addresses are found by pages that the browser does not ask for again by itself.
  await (scripted() ? page.goBack() : page.goto(form));
  await expect(page).toHaveURL(form);
  if ((await name(page).inputValue()) === "") await fillListing(page, "Submitted Twice");
  await page.getByRole("button", { name: "Submit For Approval" }).last().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  expect(await (await dataApi(email)).get("places?select=name")).toHaveLength(1);
});

test("a listing that was changed since its form was sent is compared with the form, sent again", async ({
  page,
}) => {
  const email = await createAccount("Compared Sam");
  await signIn(page, email);
  await page.goto("/listings/new");
  await fillListing(page, "Sent Before");
  const form = page.url();
  const submit = page.getByRole("button", { name: "Submit For Approval" }).last();
  await submit.click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  await (await dataApi(email)).patch("places?name=eq.Sent Before", { phone: "+1 505 555 0111" });
  await page.goto(form);
  await fillListing(page, "Sent Before");
  await page.getByLabel("Phone").fill("+1 505 555 0122");
  await submit.click();
  await expect(page.getByText("there’s a newer version of it now")).toBeVisible();
  await checkPage(page, "new listing, changed since");
  await page.getByRole("button", { name: "Compare the two versions" }).click();
  await expect(page).toHaveURL(/\/listings\/\d+$/);
  const table = page.getByRole("table", { name: "Differences between the two versions" });
  await expect(table.getByRole("radio", { name: "+1 505 555 0111" })).not.toBeChecked();
  await expect(table.getByRole("radio", { name: "+1 505 555 0122" })).toBeChecked();
  await page.getByRole("button", { name: "Save Updates" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  expect(await (await dataApi(email)).get("places?select=phone")).toEqual([
    { phone: "+1 505 555 0122" },
  ]);
});

test("a form is saved as a draft while someone types, and offered back", async ({ page }) => {
  test.skip(!scripted(), "The button does it then.");
  const email = await createAccount("Typing Sam");
  const [id] = await addListings(email, ["Typed Into"]);
  await signIn(page, email);
  await page.goto(`/listings/${id}`);
  await name(page).fill("Typed Into, Half");
  await expect(saved(page)).toBeVisible();
  await checkPage(page, "listing, draft saved");
  expect(await draftsOf(email)).toMatchObject([{ form: `/listings/${id}`, expires: true }]);

  await page.reload();
  await expect(offer(page)).toBeVisible();
  await checkPage(page, "listing, draft offered");
  await page.getByRole("link", { name: "Continue" }).click();
  await expect(name(page)).toHaveValue("Typed Into, Half");
  await page.goto(`/listings/${id}`);
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByText("Draft discarded.")).toBeVisible();
  await expect(offer(page)).toHaveCount(0);
  await expect(name(page)).toHaveValue("Typed Into");
  expect(await draftsOf(email)).toEqual([]);

  await page.goto("/listings/new");
  await name(page).fill("A New One");
  await expect(saved(page)).toBeVisible();
  await page.reload();
  await expect(name(page)).toHaveValue("A New One");
  await page.goto("/listings/new");
  await expect(page.getByText("You have a listing that wasn’t submitted")).toBeVisible();
  await checkPage(page, "new listing, draft offered");
});

test("what was typed a moment ago is saved when the page is left", async ({ page }) => {
  test.skip(!scripted(), "The browser restores it then.");
  const email = await createAccount("Hasty Sam");
  await signIn(page, email);
  const asked = answerQuestions(page, () => true);
  await page.goto("/listings/new");
  await focusFirst(page, name(page));
  await name(page).fill("Closed At Once");
  await page.goto("/privacy");
  await expect.poll(() => draftsOf(email)).toMatchObject([{ fields: { name: "Closed At Once" } }]);

  await page.goto("/jobs/new");
  await focusFirst(page, page.getByLabel(/title/i).first());
  await page.getByLabel(/title/i).first().fill("Left By A Link");
  await page.getByRole("link", { name: "Home", exact: true }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  await expect.poll(() => draftsOf(email)).toHaveLength(2);
  expect(asked).toEqual([]);
});

test("what was typed a moment ago is saved before its user signs out", async ({ page }) => {
  test.skip(!scripted(), "Without script, nothing is saved while someone types.");
  const email = await createAccount("Leaving Sam");
  await signIn(page, email);
  await page.goto("/listings/new");
  await focusFirst(page, name(page));
  await name(page).fill("Typed before signing out");
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") sent.push(new URL(request.url()).pathname);
  });
  // On a slow connection, signing out would be there first.
  await page.route(
    ({ pathname }) => pathname === "/drafts",
    async (route) => {
      await sleep(500);
      sent.push("is let on");
      await route.continue();
    },
  );
  await pressLogout(page);
  expect(sent.map((path) => path.replace(".data", ""))).toEqual([
    "/drafts",
    "is let on",
    "/logout",
  ]);
  await expect
    .poll(() => draftsOf(email))
    .toMatchObject([{ fields: { name: "Typed before signing out" } }]);
});

test("a form that isn’t kept asks before it is left, by a link, Back, or another page", async ({
  page,
}) => {
  test.skip(!scripted(), "The browser restores it then.");
  await signIn(page, await createAccount("Asked Sam"));
  await page.goto("/privacy");
  await page.getByRole("link", { name: "My Account" }).first().click();
  const field = page.getByLabel("Full name");
  await expect(field).toHaveValue("Asked Sam");
  let leave = false;
  const asked = answerQuestions(page, () => leave);

  const home = page.getByRole("link", { name: "Home", exact: true }).first();
  await focusFirst(page, field);
  await field.fill("Asked Sam, Changed");
  await home.click();
  await expect.poll(() => asked).toEqual(["beforeunload"]);
  await expect(field).toHaveValue("Asked Sam, Changed");
  await page.evaluate(() => history.back());
  await expect.poll(() => asked).toEqual(["beforeunload", "confirm"]);
  await expect(page).toHaveURL(`${appUrl()}/account`);
  await expect(field).toHaveValue("Asked Sam, Changed");

  // With an error it is typed still, although nothing was typed since.
  const email = page.getByLabel("Email", { exact: true });
  const address = await email.inputValue();
  await email.fill("nonsense");
  await page.getByRole("button", { name: "Save" }).first().click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await home.click();
  await expect.poll(() => asked).toHaveLength(3);

  // Once it is saved, nothing is asked.
  await email.fill(address);
  await field.fill("Asked Sam, Saved");
  await page.getByRole("button", { name: "Save" }).first().click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toHaveCount(0);
  await expect(page.getByText("Profile updated!")).toBeVisible();
  await home.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  expect(asked).toHaveLength(3);

  await page.goto("/account");
  await field.fill("Left");
  leave = true;
  await home.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  expect(asked).toHaveLength(4);
});

test("what is typed before the code that asks has arrived is not left without a question", async ({
  page,
}) => {
  test.skip(!scripted(), "The browser restores it then.");
  await signIn(page, await createAccount("Early Sam"));
  await page.goto("/account", { waitUntil: "networkidle" });
  await page.route("**/assets/*.js", () => {});
  let leave = false;
  const asked = answerQuestions(page, () => leave);
  const field = page.getByLabel("Full name");
  await field.fill("Early Sam, Changed");
  const home = page.getByRole("link", { name: "Home", exact: true }).first();
  await home.click();
  await expect.poll(() => asked).toEqual(["beforeunload"]);
  await expect(field).toHaveValue("Early Sam, Changed");

  await page.unroute("**/assets/*.js");
  leave = true;
  await home.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  expect(asked).toEqual(["beforeunload", "beforeunload"]);
});

test("another form that is sent before the code that asks has arrived doesn’t drop what was typed", async ({
  page,
}) => {
  test.skip(!scripted(), "Nothing is asked then.");
  await signIn(page, await createAccount("Torn Sam"));
  await page.goto("/account", { waitUntil: "networkidle" });
  await page.route("**/assets/*.js", () => {});
  await stayElsewhere(page);
  const asked = answerQuestions(page, () => false);
  await page.getByLabel("Full name").fill("Torn Sam, Changed");
  await page.getByLabel("Pronouns").fill("they/them");
  for (const button of ["Logout", "Light version"]) {
    await page.getByRole("button", { name: button }).first().click();
    await expect.poll(() => asked, button).toContain("beforeunload");
    await expect(page.getByLabel("Full name")).toHaveValue("Torn Sam, Changed");
    asked.length = 0;
  }
  await page.getByRole("button", { name: "Leave quickly" }).click();
  await expect(page.getByText("Elsewhere")).toBeVisible();
  expect(asked).toEqual([]);
});

test("a form that was sent before the code that asks has arrived is not asked about", async ({
  page,
}) => {
  test.skip(!scripted(), "Nothing is asked then.");
  const email = await createAccount("Quick Sam");
  const [id] = await addListings(email, ["Sent Quickly"]);
  await signIn(page, email);
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.goto(`/listings/${id}/managers`, { waitUntil: "networkidle" });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/assets/*.js", (route) => arrived.then(() => route.continue()));
  await page.getByLabel("Email address").fill(newEmail("friend"));
  await page.getByLabel("Email address").press("Enter");
  await expect(page.getByText("Invitation sent to")).toBeVisible();
  const code = page.waitForResponse("**/assets/*.js");
  arrive();
  await (await code).finished();
  const documents: string[] = [];
  page.on("request", (request) => {
    if (request.isNavigationRequest()) documents.push(request.url());
  });
  await page.getByRole("button", { name: /^Cancel/ }).click();
  await expect(page.getByText("Invitation canceled.")).toBeVisible();
  expect({ asked, documents }).toEqual({ asked: [], documents: [] });
});

test("a form that comes back with errors before the code that stores drafts has arrived is stored", async ({
  page,
}) => {
  test.skip(!scripted(), "Nothing is stored then.");
  const email = await createAccount("Rejected Sam");
  await signIn(page, email);
  await page.goto("/jobs/new", { waitUntil: "networkidle" });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/assets/*.js", (route) => arrived.then(() => route.continue()));
  const code = page.waitForResponse("**/assets/*.js");
  await page.getByLabel("Job Title").fill("Rejected Quickly");
  await page.getByRole("button", { name: "Save and pay", exact: true }).first().click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  arrive();
  await page.evaluate((url) => import(url), (await code).url());
  await page.getByRole("link", { name: "Home", exact: true }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  await expect
    .poll(() => draftsOf(email))
    .toMatchObject([{ fields: { title: "Rejected Quickly" } }]);
});

test("a form that came back with errors is not left without a question, also when the code that asks never arrives", async ({
  page,
}) => {
  test.skip(!scripted(), "The browser restores it then.");
  await signIn(page, await createAccount("Rejected Early Sam"));
  await page.goto("/account", { waitUntil: "networkidle" });
  await page.route("**/assets/*.js", () => {});
  const asked = answerQuestions(page, () => false);
  const email = page.getByLabel("Email", { exact: true });
  const address = await email.inputValue();
  await email.fill("nonsense");
  await page.getByRole("button", { name: "Save" }).first().click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  expect(asked).toEqual([]);
  const home = page.getByRole("link", { name: "Home", exact: true }).first();
  await home.click();
  await expect.poll(() => asked).toEqual(["beforeunload"]);
  await expect(email).toHaveValue("nonsense");

  // Once it is saved, nothing is asked.
  await email.fill(address);
  await page.getByRole("button", { name: "Save" }).first().click();
  await expect(page.getByText("Profile updated!")).toBeVisible();
  await page.unroute("**/assets/*.js");
  await home.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  expect(asked).toHaveLength(1);
});

test("what was typed is sent as soon as its page is requested again, which continues it", async ({
  page,
}) => {
  test.skip(!scripted(), "Nothing is sent then.");
  await signIn(page, await createAccount("Reloading Sam"));
  await page.goto("/listings/new");
  await focusFirst(page, page.getByLabel("Business Name"));
  await page.getByLabel("Business Name").fill("Typed a moment ago");
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await page.reload();
  expect(requests.slice(0, 2).toSorted()).toEqual(["/drafts", "/listings/new"]);
});

/** Answers with a page in place of the harmless one, so that the session stays. */
const stayElsewhere = (page: Page) =>
  page.route("**/leave", (route) => route.fulfill({ body: "Elsewhere" }));

/** The session ended with the next request otherwise. */
async function takeNoteBack(page: Page): Promise<void> {
  await expect(page.getByText("Elsewhere")).toBeVisible();
  await page.context().clearCookies({ name: "left" });
}

test("leaving quickly asks nothing and sends no draft", async ({ page }) => {
  test.skip(!scripted(), "Nothing is asked then.");
  const email = await createAccount("Unseen Sam");
  await signIn(page, email);
  const asked = answerQuestions(page, () => true);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(new URL(request.url()).pathname));
  await stayElsewhere(page);
  for (const [path, label] of [
    ["/listings/new", "Business Name"],
    ["/account", "Full name"],
  ] as const) {
    await page.goto(path);
    await page.getByLabel(label).fill("Someone is coming");
    // What stores drafts has loaded.
    await page.waitForLoadState("networkidle");
    await page.getByRole("button", { name: "Leave quickly" }).click();
    await takeNoteBack(page);
  }
  expect(asked).toEqual([]);
  expect(sent).not.toContain("/drafts");
  expect(await draftsOf(email)).toEqual([]);
});

test("leaving quickly asks nothing on a form that came back with an error", async ({ page }) => {
  test.skip(!scripted(), "Nothing is asked then.");
  await signIn(page, await createAccount("Hurried Sam"));
  // Someone who presses Escape again and again would choose to stay.
  const asked = answerQuestions(page, () => false);
  await stayElsewhere(page);
  for (const leave of [
    () => page.getByRole("button", { name: "Leave quickly" }).click(),
    async () => {
      for (let times = 0; times < 3; times += 1) await page.keyboard.press("Escape");
    },
  ]) {
    await page.goto("/account");
    const email = page.getByLabel("Email", { exact: true });
    await focusFirst(page, email);
    await email.fill("nonsense");
    await page.getByRole("button", { name: "Save" }).first().click();
    await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
    await leave();
    await takeNoteBack(page);
  }
  expect(asked).toEqual([]);
});

test("leaving quickly before the code for drafts is there sends none when it comes", async ({
  page,
}) => {
  test.skip(!scripted(), "There is no such code then.");
  const email = await createAccount("Sooner Sam");
  await signIn(page, email);
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.goto("/listings/new", { waitUntil: "networkidle" });
  await page.route("**/assets/*.js", async (route) => {
    await arrived;
    await route.continue();
  });
  const asked = page.waitForRequest("**/assets/*.js");
  await page.route("**/leave", async (route) => {
    arrive();
    await (await asked).response();
    // It runs, in the page that is being left.
    await sleep(500);
    await route.fulfill({ body: "Elsewhere" });
  });
  await name(page).fill("Someone is coming");
  await page.getByRole("button", { name: "Leave quickly" }).click();
  await expect(page.getByText("Elsewhere")).toBeVisible();
  await page.goto("/listings");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(await draftsOf(email)).toEqual([]);
});

test("nothing that was typed is left in the browser’s storage", async ({ page }) => {
  test.skip(!scripted(), "There is no storage then.");
  await signIn(page, await createAccount("Tidy Sam"));
  await page.goto("/listings/new");
  await name(page).fill("Only In The Database");
  await expect(saved(page)).toBeVisible();
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
  );
  expect(stored).not.toContain("Only In");
});

test(
  "a form that is sent after all cookies are gone comes back with what was typed",
  atNight("on"),
  async ({ page, context }) => {
    const email = await createAccount("Crumbless Sam");
    await signIn(page, email);
    await page.goto("/listings/new");
    await fillListing(page, "Typed With Cookies");
    await context.clearCookies();
    await page.getByRole("button", { name: "Submit For Approval" }).last().click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("You’re signed out");
    await expect(page.getByText("This browser’s cookies are gone")).toBeVisible();
    await checkPage(page, "form sent without any cookie");
    await signIn(page, email);
    await page.getByRole("button", { name: "Submit again" }).click();
    await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  },
);

test("Back shows what was typed to no one who signs in later in the same browser", async ({
  page,
  context,
}) => {
  await signIn(page, await createAccount("First Sam"));
  await page.goto("/listings/new");
  await name(page).fill("For First Sam Alone");
  await page.goto("/privacy");
  const other = await context.newPage();
  await other.goto("/");
  await pressLogout(other);
  await submitLogin(other, await createAccount("Second Sam"));
  await expect(other.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);

  await page.goBack();
  await expect(page.getByText("Signed in as Second Sam").first()).toBeAttached();
  await expect(name(page)).toHaveValue("");
});

test("what is typed in a tab of the user before is not stored for the next one, and not sent again", async ({
  page,
  context,
}) => {
  test.skip(!scripted(), "No draft is sent then.");
  const [first, second] = [await createAccount("Earlier Sam"), await createAccount("Later Sam")];
  await signIn(page, first);
  await page.goto("/listings/new");
  await name(page).fill("Typed While Signed In");
  await expect(saved(page)).toBeVisible();

  const other = await context.newPage();
  await other.goto("/");
  await pressLogout(other);
  await submitLogin(other, second);
  await expect(other.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);

  const sent: string[] = [];
  page.on("request", (request) => sent.push(new URL(request.url()).pathname));
  await name(page).fill("Typed After That");
  await expect(page.getByText("This form was opened in another account")).toBeVisible();
  expect(sent).toEqual(["/drafts"]);
  await name(page).fill("Typed Once More");
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  });
  await page.getByRole("button", { name: "Submit For Approval" }).last().click();
  // As a document: the page that script had said who was signed in before.
  await expect(
    page.getByRole("status").getByText(/^This form was opened in another account\. /),
  ).toBeVisible();
  await expect(page.getByText("Signed in as Later Sam").first()).toBeAttached();
  await checkPage(page, "form of another account");
  expect(sent.filter((path) => path === "/drafts")).toHaveLength(1);
  expect(await draftsOf(second)).toEqual([]);
  expect((await draftsOf(first)).map(({ fields }) => (fields as { name: string }).name)).toEqual([
    "Typed While Signed In",
  ]);
});
