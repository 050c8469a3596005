/** The seconds before script arrives, and what Back restores: nothing that was typed or chosen is overlooked. */
import type { Locator, Page } from "playwright/test";

import { addListings, createAccount, dataApi, demo, newEmail, PASSWORD } from "./data-api";
import {
  expect,
  fillListing,
  openEmail,
  restoresFields,
  scripted,
  scriptRuns,
  signIn,
  test,
} from "./journey";
import { openWithLateScripts, SCRIPTS } from "./ways";

const ONLINE_SHOPPING = "12";
const THERAPIST = "2";

test.beforeEach(() => {
  test.skip(!scripted(), "There is no script to wait for.");
});

const category = (page: Page) => page.getByLabel("Category", { exact: true });
const question = (page: Page) => page.getByRole("group", { name: /online/i }).first();
const fallback = (page: Page) => page.getByRole("button", { name: "Show extra questions" });

test("a category that is chosen before script arrives brings its questions", async ({ page }) => {
  await signIn(page, await createAccount("Early Sam"));
  const scriptsArrive = await openWithLateScripts(page, "/listings/new");
  await category(page).selectOption(ONLINE_SHOPPING);
  await page.getByLabel("Business Name").fill("Typed early");
  await page.getByLabel("Business Name").focus();
  await expect(fallback(page)).toBeVisible();
  await scriptsArrive();
  await expect(fallback(page)).toHaveCount(0);
  await expect(question(page)).toBeVisible();
  await expect(page.getByLabel("Business Name")).toHaveValue("Typed early");
  await expect(page.getByLabel("Business Name")).toBeFocused();
});

test("what is typed before script arrives stays where extensions of the browser have changed the page", async ({
  page,
}) => {
  await signIn(page, await createAccount("Early Sam"));
  await page.addInitScript(() => {
    addEventListener("DOMContentLoaded", () => {
      const add = (name: string) => document.createElement(name);
      const { documentElement, head, body } = document;
      documentElement.setAttribute("data-dark-mode", "");
      documentElement.prepend(add("an-extension"));
      documentElement.append(add("an-extension"));
      head.prepend(add("link"), add("script"));
      head.querySelector("title")!.before(Object.assign(add("meta"), { name: "dark-mode" }));
      head.append(add("link"));
      body.prepend(add("div"), "text");
      body.append(add("div"));
      document.querySelector("[name=title]")!.after(add("an-extension"));
      for (const field of document.querySelectorAll("input:not([type=hidden]), textarea")) {
        const icon = add("div");
        icon.setAttribute("data-icon-root", "");
        icon.style.setProperty("position", "relative", "important");
        field.after(icon);
      }
    });
  });
  const scriptsArrive = await openWithLateScripts(page, "/jobs/new");
  await page.getByLabel("Job Title").fill("Night baker");
  await page.getByLabel("Job Title").focus();
  await scriptsArrive();
  await scriptRuns(page);
  await expect(page.getByLabel("Job Title")).toHaveValue("Night baker");
  await expect(page.getByLabel("Job Title")).toBeFocused();
});

test("a category that Back restores brings its questions", async ({ page }) => {
  test.skip(!restoresFields(), "Firefox restores none.");
  await signIn(page, await createAccount("Early Sam"));
  // Chosen before script is there, so no draft has it, and only the browser restores it.
  const scriptsArrive = await openWithLateScripts(page, "/listings/new");
  await category(page).selectOption(ONLINE_SHOPPING);
  await page.goto("/privacy", { waitUntil: "commit" });
  await scriptsArrive();
  await page.goBack();
  await expect(category(page)).toHaveValue(ONLINE_SHOPPING);
  await expect(fallback(page)).toHaveCount(0);
  await expect(question(page)).toBeVisible();
});

test("an ally-owned company that is ticked before script arrives is asked about safety", async ({
  page,
}) => {
  await signIn(page, await createAccount("Early Sam"));
  const scriptsArrive = await openWithLateScripts(page, "/jobs/new");
  const box = page.getByRole("checkbox", { name: /ally/i });
  await box.check();
  await scriptsArrive();
  await expect(box).toBeChecked();
  // The search is there once script runs; what it hides must not be the question.
  await expect(page.getByLabel("Search locations")).toBeVisible();
  await expect(page.locator("#job-ally_safety")).toBeVisible();
});

test("script that arrives late leaves the focus where someone is typing", async ({ page }) => {
  await signIn(page, await createAccount("Early Sam"));
  // Sent as a document, since there is no script yet, and so the errors are in the page that arrives.
  const scriptsArrive = await openWithLateScripts(page, "/listings/new");
  await page.getByLabel("Business Name").fill("No category");
  await page
    .getByRole("button", { name: "Submit For Approval" })
    .last()
    .click({ noWaitAfter: true });
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await page.getByLabel("Business Name").fill("Still typing");
  await page.getByLabel("Business Name").focus();
  await scriptsArrive();
  await expect(fallback(page)).toHaveCount(0);
  await expect(page.getByLabel("Business Name")).toBeFocused();
  await expect(page.getByLabel("Business Name")).toHaveValue("Still typing");
});

test("a text that is changed before script arrives is kept, and so is the place in it", async ({
  page,
}) => {
  const email = await createAccount("Early Sam");
  const [id] = await addListings(email, ["Changed Early"]);
  await signIn(page, email);
  const scriptsArrive = await openWithLateScripts(page, `/listings/${id}`);
  const about = page.getByLabel("About/Bio");
  const before = await about.inputValue();
  expect(before).not.toBe("");
  await about.focus();
  await about.press("Control+Home");
  await about.pressSequentially("Now with cake. ");
  await scriptsArrive();
  await expect(fallback(page)).toHaveCount(0);
  await about.pressSequentially("And tea. ");
  await expect(about).toHaveValue(`Now with cake. And tea. ${before}`);
});

test("a part of a form whose code arrives last keeps what was typed into it", async ({ page }) => {
  const edited = await (
    await dataApi(demo.admin)
  ).first("places?select=id&status=eq.pending-update");
  await signIn(page, demo.admin);
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route(SCRIPTS, async (route) => {
    const response = await route.fetch();
    // Only the section of admins says this.
    if ((await response.text()).includes("search by name")) await arrived;
    await route.fulfill({ response });
  });
  await page.goto(`/listings/${edited}`, { waitUntil: "commit" });
  const search = page.getByLabel("Business Owner: search by name");
  await search.fill("newcomer");
  // The form changes while that section has not arrived.
  await category(page).selectOption(ONLINE_SHOPPING);
  await search.focus();
  arrive();
  await expect(fallback(page)).toHaveCount(0);
  await expect(question(page)).toBeVisible();
  await expect(search).toHaveValue("newcomer");
  await expect(search).toBeFocused();
  await page.unrouteAll({ behavior: "wait" });
});

/** What a page has for people without script and takes away when script arrives. Nothing takes its place but its own field. */
const GOES = ["Show extra questions", "Update preview"];

test("nothing that can be pressed moves when script arrives", async ({ page, way }) => {
  test.skip(way === "translated", "What moves then moves because of other words.");
  await page.setViewportSize({ width: 360, height: 740 });
  // With a search among places, and a text that is counted, near its limit.
  const therapist = await createAccount("Early Sam");
  const [listing] = await addListings(therapist, ["Long Talks"], {
    category: THERAPIST,
    licensed_locations: ["Oregon"],
    description: "Talk. ".repeat(830),
  });
  const owner = await dataApi(demo.owner);
  const job = await owner.first(`jobs?select=id&owner=eq.${owner.id}`);
  const order = await owner.first(`sponsorships?select=id&owner=eq.${owner.id}&paid=is.false`);
  const admin = await dataApi(demo.admin);
  const edited = await admin.first("places?select=id&status=eq.pending-update");

  const moved: string[] = [];
  for (const [email, paths] of [
    [null, ["/login", "/signup"]],
    [therapist, ["/listings/new", `/listings/${listing}`]],
    [
      demo.owner,
      ["/jobs/new", `/jobs/${job}`, "/sponsor/new", `/sponsor/${order}`, "/account", "/listings"],
    ],
    [
      demo.admin,
      [`/listings/${edited}`, `/admin/listings/${edited}?view=pending`, "/admin/pending"],
    ],
  ] as const) {
    if (email !== null) await signIn(page, email);
    for (const path of paths) {
      const scriptsArrive = await openWithLateScripts(page, path);
      await expect.poll(() => page.evaluate(() => document.readyState)).not.toBe("loading");
      await expect(page.locator("body")).toHaveCSS("margin-top", "0px");
      const before = await page.evaluateHandle(findTargets);
      await scriptsArrive();
      await scriptRuns(page);
      const after = await page.evaluateHandle(findTargets);
      const found = await page.evaluate(compareTargets, { before, after, goes: GOES });
      moved.push(...found.map((what) => `${path}: ${what}`));
    }
  }
  expect(moved).toEqual([]);
});

/** All that can be pressed in a page, with its place in it. */
const findTargets = () =>
  [...document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => ({ element, box: element.getBoundingClientRect() }));

type Targets = ReturnType<typeof findTargets>;

/** What has moved, what is gone and should not be, and what came where something else could be pressed. */
function compareTargets(targets: { before: Targets; after: Targets; goes: string[] }): string[] {
  const { before, after, goes } = targets;
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()} ${element.getAttribute("name") ?? ""} “${(element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 40)}”`;
  const overlap = (one: DOMRect, other: DOMRect) =>
    one.left < other.right - 1 &&
    other.left < one.right - 1 &&
    one.top < other.bottom - 1 &&
    other.top < one.bottom - 1;
  const found: string[] = [];
  for (const { element, box } of before) {
    const now = after.find((other) => other.element === element)?.box;
    if (now === undefined) {
      if (!goes.includes(element.textContent)) found.push(`${name(element)} is gone`);
    } else if (Math.abs(now.x - box.x) > 0.5 || Math.abs(now.y - box.y) > 0.5)
      found.push(`${name(element)} went ${now.x - box.x} px right, ${now.y - box.y} px down`);
  }
  for (const { element, box } of after)
    if (!before.some((one) => one.element === element))
      for (const one of before)
        // What is under the bar of a form is not pressed.
        if (overlap(box, one.box) && !one.element.closest(".form-bar"))
          found.push(`${name(element)} came where ${name(one.element)} was`);
  return found;
}

/** Makes a page that of an old phone on 400 kbit/s; returns what makes it fast again. */
async function slowDown(page: Page): Promise<() => Promise<void>> {
  const cdp = await page.context().newCDPSession(page);
  const throughput = 400_000 / 8;
  const slow = { downloadThroughput: throughput, uploadThroughput: throughput, latency: 400 };
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", { offline: false, ...slow });
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  // Its conditions end with it.
  return () => cdp.detach();
}

/** Types letter by letter until something has happened. @returns what the field must have then */
async function typeUntil(field: Locator, happened: () => Promise<boolean>): Promise<string> {
  let text = "";
  do {
    await field.press("x");
    text += "x";
  } while (!(await happened()));
  return text;
}

test("on a slow phone, what is typed and chosen until script runs is sent, and once", async ({
  page,
  browserName,
}) => {
  test.skip(browserName !== "chromium", "Only Chromium can be slowed down.");
  const posted: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === "POST" && pathname !== "/drafts")
      posted.push(pathname.replace(/\.data$/, ""));
  });

  // Sent before script is there.
  let speedUp = await slowDown(page);
  let scriptsArrive = await openWithLateScripts(page, "/signup");
  const email = newEmail("slow");
  await page.getByLabel("Email", { exact: true }).fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByLabel("Full name").fill("Slow Sam");
  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: "Sign Up" }).click({ noWaitAfter: true });
  await scriptsArrive();
  await expect(page.getByText("Almost there!")).toBeVisible();
  expect(posted).toEqual(["/signup"]);
  await speedUp();
  await openEmail(page, email, "confirm your email address");

  const owner = await createAccount("Slow Sam");
  await signIn(page, owner);
  const api = await dataApi(owner);

  // Typed until script runs, and beyond.
  speedUp = await slowDown(page);
  scriptsArrive = await openWithLateScripts(page, "/jobs/new");
  await page.getByLabel("Job Title").fill("Slow chef");
  await page.getByLabel("Category").selectOption({ label: "Food and Hospitality" });
  await page.getByLabel("Full time").check();
  await page.getByLabel("Anywhere").check();
  await page.getByLabel("Company Name").fill("Slow Food");
  await page.getByLabel("Company Bio").fill("A bakery.");
  let arrived = scriptsArrive();
  const search = page.getByLabel("Search locations");
  const job = await typeUntil(page.getByLabel("Description"), () => search.isVisible());
  await arrived;
  await speedUp();
  await page.getByRole("button", { name: "Save and pay", exact: true }).last().click();
  await expect(page.getByRole("heading", { level: 1, name: "Pay" })).toBeVisible();
  expect(await api.get("jobs?select=title,description,full_time,location,company_name")).toEqual([
    {
      title: "Slow chef",
      description: job,
      full_time: true,
      location: ["Anywhere"],
      company_name: "Slow Food",
    },
  ]);

  speedUp = await slowDown(page);
  scriptsArrive = await openWithLateScripts(page, "/listings/new");
  await category(page).selectOption(ONLINE_SHOPPING);
  await page.getByLabel("I agree to have this listing shown publicly").check();
  arrived = scriptsArrive();
  const about = await typeUntil(page.getByLabel("About/Bio"), () => question(page).isVisible());
  await arrived;
  await speedUp();
  await expect(page.getByLabel("About/Bio")).toHaveValue(about);
  await expect(category(page)).toHaveValue(ONLINE_SHOPPING);
  await expect(page.getByLabel("I agree to have this listing shown publicly")).toBeChecked();
  // Two of them look up addresses.
  posted.length = 0;
  await fillListing(page, "Slow Shop");
  await page.getByRole("button", { name: "Submit For Approval" }).last().click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
  expect(posted.filter((path) => path === "/listings/new")).toHaveLength(3);
  expect(await api.get(`places?select=name&owner=eq.${api.id}`)).toEqual([{ name: "Slow Shop" }]);
});

test("the style sheet is asked for first, and the code of a page’s parts with the page, not once its script runs", async ({
  page,
}) => {
  await signIn(page, demo.owner);
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
  // With the options of a listing, which few pages have.
  const scriptsArrive = await openWithLateScripts(page, "/listings/1");
  await expect(page.locator("[data-part=listing-options]")).toBeAttached();
  const { link = "" } = (await page.request.get("/listings/1")).headers();
  const sheet = await page.locator("link[rel=stylesheet]").getAttribute("href");
  expect(link.split(", ")[0]).toBe(`<${sheet}>; rel=preload; as=style`);
  const linked = [...link.matchAll(/<([^>]+)>; rel=modulepreload/g)].map(([, file]) => file);
  expect(linked.length).toBeGreaterThan(1);
  expect(asked).toEqual(expect.arrayContaining(linked));
  await scriptsArrive();
  await scriptRuns(page);
  for (const file of linked) expect(asked.filter((one) => one === file)).toHaveLength(1);
});

test("a form that someone types into before script arrives is not left without a question, unless it is sent", async ({
  page,
}) => {
  const asked: string[] = [];
  let leaves = false;
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void (leaves ? dialog.accept() : dialog.dismiss());
  });
  await signIn(page, await createAccount("Early Sam"));
  await openWithLateScripts(page, "/jobs/new");
  const title = page.getByLabel("Job Title");
  const leads = page.getByRole("link", { name: "Leads" }).first();
  const pay = page.getByRole("button", { name: "Save and pay", exact: true }).first();
  const light = page.getByRole("button", { name: "Light version" });

  await title.pressSequentially("Night baker");
  for (const leave of [leads, light]) await leave.click({ noWaitAfter: true });
  await expect.poll(() => asked).toHaveLength(2);
  await page.evaluate(() => location.reload());
  await expect.poll(() => asked).toHaveLength(3);
  expect(new Set(asked)).toEqual(new Set(["beforeunload"]));

  await pay.click({ noWaitAfter: true });
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(title).toHaveValue("Night baker");
  await leads.click({ noWaitAfter: true });
  await expect.poll(() => asked).toHaveLength(4);

  leaves = true;
  await leads.click({ noWaitAfter: true });
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Leads");
  expect(asked).toHaveLength(5);
});

test("a form that Back restores before script arrives is not left without a question", async ({
  page,
}) => {
  test.skip(!restoresFields(), "Firefox restores none.");
  let asked = 0;
  page.on("dialog", (dialog) => {
    asked += 1;
    void dialog.accept();
  });
  await signIn(page, await createAccount("Early Sam"));
  await openWithLateScripts(page, "/jobs/new");
  const title = page.getByLabel("Job Title");
  const leads = page.getByRole("link", { name: "Leads" }).first();
  await title.pressSequentially("Night baker");
  for (const questions of [1, 2]) {
    await leads.click({ noWaitAfter: true });
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Leads");
    expect(asked).toBe(questions);
    await page.goBack({ waitUntil: "commit" });
    await expect(title).toHaveValue("Night baker");
  }
});
