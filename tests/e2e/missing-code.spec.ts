/** The code of the next page never arrives: everyone ends where they would without script. */
import type { Page } from "playwright/test";

import { addListings, approveListing, createAccount, dataApi, demo, endSessions } from "./data-api";
import {
  appUrl,
  atNight,
  canWaitForConnection,
  expect,
  scripted,
  scriptRuns,
  signIn,
  submitLogin,
  test,
} from "./journey";
import { hold, holdPart } from "./ways";

test.skip(() => !scripted(), "Without script, no page waits for code.");

const heading = (page: Page) => page.getByRole("heading", { level: 1 });

/**
 * Keeps the code of a route from arriving. A page must be open.
 * @param until when the browser learns that it does not come
 */
async function loseCode(page: Page, route: string, until?: Promise<unknown>): Promise<void> {
  const code = await page.evaluate((id) => window.__remixManifest.routes[id]!.module, route);
  await page.context().route(`**${code}`, async (request) => {
    await until;
    await request.abort();
  });
}

/** How each form is sent, and where: "document /login". */
function recordForms(page: Page): string[] {
  const forms: string[] = [];
  page.on("request", (request) => {
    const how = request.isNavigationRequest() ? "document" : "script";
    if (request.method() === "POST") forms.push(`${how} ${new URL(request.url()).pathname}`);
  });
  return forms;
}

test("a link leads to its page, and a form to the next one", async ({ page }) => {
  const email = await createAccount("Unlucky Sam");
  await page.goto("/login", { waitUntil: "networkidle" });
  await loseCode(page, "routes/_index");
  await loseCode(page, "routes/leads._index");
  await submitLogin(page, email);
  await expect(heading(page)).toHaveText("Welcome, Unlucky Sam");

  await page.goto("/jobs", { waitUntil: "networkidle" });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Leads" }).click();
  await expect(heading(page)).toHaveText("Leads");
});

test("a form to another page is sent once, also without a connection, and its fields are there", async ({
  page,
  context,
}) => {
  const email = await createAccount("Resent Sam");
  await signIn(page, email);
  await endSessions(email);
  const signedOut = await page.request.post("/listings/new", {
    form: { description: "Typed on\ntwo lines" },
    headers: { Origin: appUrl() },
    maxRedirects: 0,
  });
  await page.goto(signedOut.headers()["location"]!, { waitUntil: "networkidle" });
  await loseCode(page, "routes/listings.new");
  await submitLogin(page, email);
  await expect(heading(page)).toHaveText("What you typed is still here");
  const forms = recordForms(page);
  await canWaitForConnection(page);
  await context.setOffline(true);
  await page.getByRole("button", { name: "Back to the form" }).click();
  await expect(page.getByText("We can’t reach the server.")).toBeVisible();
  await context.setOffline(false);
  await expect(heading(page)).toHaveText("Add a listing");
  await expect(page.getByLabel("About/Bio")).toHaveValue("Typed on\ntwo lines");
  expect(forms).toEqual(["document /listings/new"]);
});

/** Playwright’s own waits for a document in Firefox, and pages that script showed are none. */
const goBack = (page: Page) => page.evaluate(() => history.back());

/** Shows three pages by script, and loads the last one again, whose script doesn't arrive. */
async function reloadWithoutCode(page: Page): Promise<void> {
  await signIn(page, await createAccount("Reloading Sam"));
  await page.goto("/jobs", { waitUntil: "networkidle" });
  const main = page.getByRole("navigation", { name: "Main" });
  for (const name of ["Leads", "Newsletter Features"]) {
    await main.getByRole("link", { name }).click();
    await expect(heading(page)).toHaveText(name);
  }
  await page.context().route("**/assets/*.js", (request) => request.abort());
  await page.reload();
}

test("Back leads to the page before from one that was loaded again and gets no script", async ({
  page,
  context,
}) => {
  await reloadWithoutCode(page);
  await page.getByRole("link", { name: "Skip to main content" }).press("Enter");
  await goBack(page);
  await expect(heading(page)).toHaveText("Newsletter Features");
  for (const name of ["Leads", "Job Listings"]) {
    await goBack(page);
    await expect(heading(page)).toHaveText(name);
  }
  await context.unrouteAll();
  await page.evaluate(() => history.forward());
  await expect(heading(page)).toHaveText("Leads");
  await expect(page).toHaveURL(/\/leads$/);
});

test("Back leads to the page before also while the rest of a page arrives", async ({ page }) => {
  await reloadWithoutCode(page);
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const title = document.querySelector("h1")?.textContent;
      if (!title) return;
      observer.disconnect();
      if (title === "Leads") history.back();
    }).observe(document, { childList: true, subtree: true });
  });
  await goBack(page);
  await expect(heading(page)).toHaveText("Job Listings");
});

test("Back leads to the page before also while the last code of a page arrives", async ({
  page,
}) => {
  const owner = await createAccount("Part Sam");
  const [id] = await addListings(owner, ["Queer Books"], {});
  await signIn(page, owner);
  await page.goto("/listings");
  await scriptRuns(page);
  await page.getByRole("link", { name: "Edit listing: Queer Books" }).click();
  await expect(page).toHaveURL(new RegExp(`/listings/${id}\\b`));
  const partArrives = await holdPart(page, page.url());
  const pageArrives = await hold(page, /\/listings$/);
  await page.reload({ waitUntil: "commit" });
  await page.waitForFunction(() => "__remixManifest" in window);
  await page.waitForTimeout(1_000);
  const asked = page.waitForRequest(/\/listings$/);
  await page.evaluate(() => void setTimeout(() => history.back()));
  await asked;
  partArrives();
  await page.waitForTimeout(1_000);
  pageArrives();
  await expect(heading(page)).toHaveText("Business Listings");
  await expect(page).toHaveURL(/\/listings$/);
});

test("the notice of a form is shown on the next page", async ({ page }) => {
  const email = await createAccount("Hidden Sam");
  const [id] = await addListings(email, ["Café X"]);
  await approveListing(id!);
  await signIn(page, email);
  await page.goto(`/listings/${id}/visibility`, { waitUntil: "networkidle" });
  // Later than the answer to what the router could have asked for meanwhile.
  const data = page.waitForResponse(/\/listings\.data/).catch(() => {});
  await loseCode(page, "routes/listings._index", Promise.race([data, page.waitForTimeout(1_000)]));
  const forms = recordForms(page);
  await page.getByRole("button", { name: "Hide listing" }).click();
  await expect(heading(page)).toHaveText("Business Listings");
  await expect(page.getByText("is hidden. You can show it again any time.")).toBeVisible();
  expect(forms).toEqual([`script /listings/${id}/visibility.data`]);
});

test("a page that was chosen meanwhile stays", atNight("on"), async ({ page }) => {
  await signIn(page, await createAccount("Undecided Sam"));
  await page.goto("/jobs", { waitUntil: "networkidle" });
  let lose = () => {};
  await loseCode(page, "routes/leads._index", new Promise<void>((resolve) => (lose = resolve)));
  const main = page.getByRole("navigation", { name: "Main" });
  // Never answered: the framework reports an answer that it stops reading as an error of the page.
  await page.route(/\/leads\.data/, () => {});
  await main.getByRole("link", { name: "Leads" }).click();
  await main.getByRole("link", { name: "Business Listings" }).click();
  await expect(heading(page)).toHaveText("Business Listings");
  const lost = page.waitForEvent("requestfailed");
  const left = page.waitForEvent("load", { timeout: 1_000 }).catch(() => "stays");
  lose();
  await lost;
  expect(await left).toBe("stays");
});

for (const [how, path, leave] of [
  [
    "by an address",
    "/privacy",
    (page: Page) => page.evaluate("setTimeout(() => location.assign('/privacy'))"),
  ],
  [
    "quickly",
    "/leave",
    (page: Page) =>
      page.getByRole("button", { name: "Leave quickly" }).click({ noWaitAfter: true }),
  ],
] as const)
  test(`a dashboard that is left ${how} does not come back for a page that is lost meanwhile`, async ({
    page,
  }) => {
    await signIn(page, await createAccount("Leaving Sam"));
    await page.goto("/jobs", { waitUntil: "networkidle" });
    let lose = () => {};
    const lost = new Promise<void>((resolve) => (lose = resolve));
    await loseCode(page, "routes/leads._index", lost);
    await page.route(/\/leads\.data/, async (route) => {
      await lost;
      await route.abort();
    });
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(`**${path}`, async (route) => {
      await answered;
      await route.fulfill({ body: "Elsewhere" });
    });
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (request.isNavigationRequest() || pathname.endsWith(".data")) asked.push(pathname);
    });
    const main = page.getByRole("navigation", { name: "Main" });
    await main.getByRole("link", { name: "Leads" }).click();
    const left = page.waitForRequest(`**${path}`);
    await leave(page);
    await left;
    // Firefox ends what a page waits for as soon as it is left. The others do it later. Once someone leaves quickly, nothing is
    // asked for, not even whether there is a connection.
    const connected = how === "quickly" ? null : page.waitForResponse("**/healthz");
    lose();
    await connected;
    // What is lost for another reason is asked for again after a second.
    await page.waitForTimeout(1_500);
    answer();
    await expect(page.getByText("Elsewhere")).toBeVisible();
    expect(asked).toEqual(["/leads.data", path]);
  });

test("the details of a listing open on a page of their own", atNight("on"), async ({ page }) => {
  await signIn(page, demo.admin);
  await page.goto("/admin/listings", { waitUntil: "networkidle" });
  await loseCode(page, "routes/admin.listings.$id_.details");
  await page.locator("a[href*='/details']").first().click();
  await expect(page).toHaveURL(/\/details/);
  await expect(page.getByRole("link", { name: /Close/ })).toBeVisible();
});

/** Keeps all code from arriving that the page has not loaded yet, but for these files. */
const loseMore = (page: Page, ...files: string[]) =>
  page.route(/\/assets\/.*\.js/, (request) =>
    files.some((file) => request.request().url().endsWith(file))
      ? request.continue()
      : request.abort(),
  );

test(
  "a page without the code of one of its parts opens as a document",
  atNight("on"),
  async ({ page }) => {
    const email = await createAccount("Partly Sam");
    await addListings(email, ["Café X"]);
    await signIn(page, email);
    await page.goto("/listings", { waitUntil: "networkidle" });
    const { module, imports } = await page.evaluate(
      (id) => window.__remixManifest.routes[id]!,
      "routes/listings.$id",
    );
    await loseMore(page, module, ...(imports ?? []));
    await page.setViewportSize({ width: 1280, height: 200 });
    const scrolled = () => page.evaluate(() => scrollY);
    await page.getByRole("link", { name: /^Edit listing/ }).scrollIntoViewIfNeeded();
    expect(await scrolled()).toBeGreaterThan(50);
    await page.getByRole("link", { name: /^Edit listing/ }).click();
    await expect(heading(page)).toHaveText("Café X");
    await expect(page.getByLabel("Business Name")).toHaveValue("Café X");
    await expect.poll(scrolled).toBe(0);
  },
);

test("an answer without the code of one of its parts keeps what was typed", async ({ page }) => {
  const email = await createAccount("Crossing Sam");
  const [id] = await addListings(email, ["First"]);
  await signIn(page, email);
  await page.goto(`/listings/${id}`, { waitUntil: "networkidle" });
  await page.getByLabel("Business Name").fill("Mine");
  await page.waitForLoadState("networkidle");
  await (await dataApi(email)).patch(`places?id=eq.${id}`, { name: "Theirs" });
  await loseMore(page);
  await page.getByRole("button", { name: "Save Updates" }).click();
  const table = page.getByRole("table", { name: "Differences between the two versions" });
  await expect(table.getByRole("radio", { name: "Mine", exact: true })).toBeChecked();
});

test(
  "the questions of a category whose code is missing can be asked for",
  atNight("on"),
  async ({ page }) => {
    await signIn(page, await createAccount("Therapist Sam"));
    await page.goto("/listings/new", { waitUntil: "networkidle" });
    await page.getByLabel("Business Name").fill("Calm");
    await page.waitForLoadState("networkidle");
    await loseMore(page);
    await page.getByLabel("Category", { exact: true }).selectOption({ label: "Therapist" });
    await page.getByRole("button", { name: "Show extra questions" }).click();
    await expect(page.getByRole("group", { name: /licensed/ })).toBeVisible();
    await expect(page.getByLabel("Business Name")).toHaveValue("Calm");
  },
);
