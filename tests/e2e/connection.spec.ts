/** A connection that drops or is slow: nothing is lost, and the page says what it waits for. */
import type { Page } from "playwright/test";

import { addListings, createAccount, dataApi, demo } from "./data-api";
import {
  canWaitForConnection,
  checkPage,
  expect,
  scripted,
  scriptRuns,
  signIn,
  test,
} from "./journey";

const OFFLINE = "We can’t reach the server.";

test.skip(() => !scripted(), "Without script, the browser asks again itself.");

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path, { waitUntil: "networkidle" });
  await scriptRuns(page);
  await canWaitForConnection(page);
}

test("a form that is sent without a connection stays, and is saved once it is back", async ({
  page,
  context,
}) => {
  const email = await createAccount("Offline Sam");
  const [id] = await addListings(email, ["Café X"]);
  await signIn(page, email);
  await open(page, `/listings/${id}`);
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

test("a form that a proxy answers while the app restarts stays, and is saved once the app is back", async ({
  page,
}) => {
  const email = await createAccount("Restarting Sam");
  await signIn(page, email);
  await open(page, "/account");
  const name = page.getByLabel("Full name");
  await name.fill("Typed before the restart");
  const url = /\/account\.data/;
  await page.route(url, (route) =>
    route.fulfill({ status: 502, contentType: "text/html", body: "<h1>502 Bad Gateway</h1>" }),
  );
  await page.getByRole("button", { name: "Save" }).first().click();
  await expect(page.getByText(OFFLINE)).toBeVisible();
  await expect(name).toHaveValue("Typed before the restart");
  await page.unroute(url);
  await expect(page.getByText("Profile updated!")).toBeVisible();
  await expect(page.getByText(OFFLINE)).toBeHidden();
  const saved = await (await dataApi(email)).get("profiles?select=full_name");
  expect(saved).toEqual([{ full_name: "Typed before the restart" }]);
});

for (const status of [200, 403, 429, 500])
  test(`a form that a network or a firewall answers with a page of its own (${status}) stays, and is saved once the app answers`, async ({
    page,
  }) => {
    const email = await createAccount("Café Sam");
    await signIn(page, email);
    await open(page, "/account");
    const name = page.getByLabel("Full name");
    await name.fill("Typed in a café");
    const url = /\/account\.data/;
    await page.route(url, (route) =>
      route.fulfill({ status, contentType: "text/html", body: "<h1>Accept our terms</h1>" }),
    );
    await page.getByRole("button", { name: "Save" }).first().click();
    await expect(page.getByText(OFFLINE)).toBeVisible();
    await expect(name).toHaveValue("Typed in a café");
    await page.unroute(url);
    await expect(page.getByText("Profile updated!")).toBeVisible();
    const saved = await (await dataApi(email)).get("profiles?select=full_name");
    expect(saved).toEqual([{ full_name: "Typed in a café" }]);
  });

for (const [proxy, status, header] of [
  ["Cloudflare", 403, "cf-mitigated"],
  ["AWS WAF", 405, "x-amzn-waf-action"],
] as const)
  test(`where ${proxy} first wants to see a person, links and forms ask for a document, which can show that`, async ({
    page,
  }) => {
    const email = await createAccount("Tunnel Sam");
    await signIn(page, email);
    await open(page, "/account");
    let asked = 0;
    await page.route(/\.data(\?|$)|\/healthz/, (route) => {
      asked += Number(!route.request().url().endsWith("/healthz"));
      return route.fulfill({
        status,
        contentType: "text/html",
        headers: { [header]: "challenge" },
        body: "<h1>Checking your browser</h1>",
      });
    });
    await page.getByLabel("Full name").fill("Typed in a tunnel");
    await page.getByRole("button", { name: "Save" }).first().click();
    await expect(page.getByText("Profile updated!")).toBeVisible();
    const saved = await (await dataApi(email)).get("profiles?select=full_name");
    expect(saved).toEqual([{ full_name: "Typed in a tunnel" }]);
    // Until then, a link asks for a document anyway.
    await scriptRuns(page);
    await canWaitForConnection(page);
    await page.getByRole("navigation").getByRole("link", { name: "Job Listings" }).click();
    await expect(page).toHaveURL("/jobs");
    await expect(page.getByRole("heading", { name: "Job Listings", level: 1 })).toBeVisible();
    // Once each, and not again and again.
    expect(asked).toBe(2);
  });

/** The first answer that the router gets after `data-breaks` was set breaks off once its headers have arrived. */
const letAnswersBreak = (page: Page) =>
  page.addInitScript(() => {
    const request = window.fetch.bind(window);
    window.fetch = async (input, init) => {
      const response = await request(input, init);
      const { dataset } = document.documentElement;
      if (!(input instanceof URL) || dataset["breaks"] !== (init?.method ?? "GET")) return response;
      delete dataset["breaks"];
      return new Response(
        new ReadableStream({ pull: (rest) => rest.error(new TypeError("It broke off")) }),
        response,
      );
    };
  });

for (const [method, what] of [
  ["POST", "the answer to a form"],
  ["GET", "the page after a form"],
])
  test(`a connection that drops in the middle of ${what} loses nothing`, async ({
    page,
    browserName,
  }) => {
    test.skip(browserName === "firefox", "It reports the answer that breaks off as an error.");
    const email = await createAccount("Tunnel Sam");
    await signIn(page, email);
    await letAnswersBreak(page);
    await open(page, "/account");
    const name = page.getByLabel("Full name");
    await name.fill("Typed in a tunnel");
    await page.evaluate((which) => (document.documentElement.dataset["breaks"] = which), method);
    await page.getByRole("button", { name: "Save" }).first().click();
    await expect(page.getByText(OFFLINE)).toBeVisible();
    await expect(page.getByText(OFFLINE)).toBeHidden();
    await expect(name).toHaveValue("Typed in a tunnel");
    // The page that broke off had the message, which is shown once.
    if (method === "POST") await expect(page.getByText("Profile updated!")).toBeVisible();
    const saved = await (await dataApi(email)).get("profiles?select=full_name");
    expect(saved).toEqual([{ full_name: "Typed in a tunnel" }]);
  });

for (const status of [200, 403, 429])
  test(`a draft that a network or a firewall answers with a page of its own (${status}) is not said to be saved, and the next one is`, async ({
    page,
  }) => {
    await signIn(page, await createAccount("Café Sam"));
    await open(page, "/listings/new");
    await page.route(/\/drafts/, (route) =>
      route.fulfill({ status, contentType: "text/html", body: "<h1>Accept our terms</h1>" }),
    );
    await page.getByLabel("About/Bio").fill("Typed in a café");
    await expect(page.getByText("We couldn’t save a draft. Check your connection")).toBeVisible();
    await expect(page.getByText(/^Saved as a draft at/)).toBeHidden();
    await page.unroute(/\/drafts/);
    await page.getByLabel("About/Bio").fill("Typed in a café, and outside");
    await expect(page.getByText(/^Saved as a draft at/)).toBeVisible();
  });

for (const before of ["before the connection drops", "without a connection"])
  test(`a form that was typed ${before} and waits for it is not left without a question`, async ({
    page,
    context,
  }) => {
    await signIn(page, await createAccount("Leaving Sam"));
    await open(page, "/account");
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    const name = page.getByLabel("Full name");
    if (before === "without a connection") await context.setOffline(true);
    await name.fill("Typed on the train");
    // The code that asks arrives, or doesn't.
    await page.waitForLoadState("networkidle");
    await context.setOffline(true);
    await page.getByRole("button", { name: "Save" }).first().click();
    await expect(page.getByText(OFFLINE)).toBeVisible();
    await page.getByRole("link", { name: "Job Listings" }).first().click();
    await expect.poll(() => asked).toEqual(["beforeunload"]);
    await expect(name).toHaveValue("Typed on the train");
    await context.setOffline(false);
    await expect(page.getByText("Profile updated!")).toBeVisible();
    await page.getByRole("link", { name: "Job Listings" }).first().click();
    await expect(page).toHaveURL("/jobs");
    expect(asked).toHaveLength(1);
  });

test("what is typed while a form waits for the connection is saved by another press", async ({
  page,
  context,
}) => {
  const email = await createAccount("Typing Sam");
  await signIn(page, email);
  await open(page, "/account");
  const name = page.getByLabel("Full name");
  await name.fill("Typed first");
  await context.setOffline(true);
  await name.press("Enter");
  await expect(page.getByText(OFFLINE)).toBeVisible();
  await name.fill("Typed since");
  await name.press("Enter");
  await context.setOffline(false);
  await expect(page.getByText("Profile updated!")).toBeVisible();
  await expect(page.getByText(OFFLINE)).toBeHidden();
  const saved = await (await dataApi(email)).get("profiles?select=full_name");
  expect(saved).toEqual([{ full_name: "Typed since" }]);
});

for (const sent of [false, true])
  test(`a form with drafts ${sent ? "that waits for the connection, and " : ""}that was typed into without one is not left without a question`, async ({
    page,
    context,
  }) => {
    await signIn(page, await createAccount("Pasting Sam"));
    await open(page, "/listings/new");
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    const description = page.getByLabel("About/Bio");
    await description.fill("Typed with a connection");
    await expect(page.getByText(/^Saved as a draft at/)).toBeVisible();
    await context.setOffline(true);
    if (sent) {
      await page.getByRole("button", { name: "Submit For Approval" }).click();
      await expect(page.getByText(OFFLINE)).toBeVisible();
    }
    await description.fill("Pasted without one");
    // Before a draft of it is tried.
    await page.getByRole("link", { name: "Job Listings" }).first().click();
    await expect.poll(() => asked).toEqual(["beforeunload"]);
    await expect(description).toHaveValue("Pasted without one");
  });

test("a decision that waits for the connection is not replaced by one about another listing", async ({
  page,
  context,
}) => {
  const email = await createAccount("Waiting Sam");
  const names = ["Waiting First", "Waiting Second"].map((name) => `${name} ${Date.now()}`);
  const ids = await addListings(email, names);
  await signIn(page, demo.admin);
  await open(page, `/admin/new?name=${names[0]!.slice(-13)}`);
  await context.setOffline(true);
  await page.getByRole("button", { name: `Approve: ${names[0]}` }).click();
  await expect(page.getByText(OFFLINE)).toBeVisible();
  await page.getByRole("button", { name: `Approve: ${names[1]}` }).click({ force: true });
  await context.setOffline(false);
  await expect(page.getByText(/is approved\./)).toBeVisible();
  const statuses = await (
    await dataApi(email)
  ).get(`places?select=name,status&id=in.(${ids.join()})&order=id`);
  expect(statuses).toEqual([
    { name: names[0], status: "published" },
    { name: names[1], status: "new" },
  ]);
});

test("a line at the top shows that a slow page is coming, until it is there", async ({ page }) => {
  await signIn(page, await createAccount("Patient Sam"));
  await open(page, "/listings");
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
