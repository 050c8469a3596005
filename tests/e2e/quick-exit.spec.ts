import { chromium, firefox, type Page, type Route } from "playwright/test";

import { addListings, createAccount, newEmail } from "./data-api";
import { adaptFirefox } from "./firefox";
import { startHarmlessSite, type HarmlessSite } from "./harmless-site";
import {
  appUrl,
  expect,
  scripted,
  scriptRuns,
  signIn,
  submitLogin,
  test,
  VISITOR_HEADER,
} from "./journey";
import { hold, holdPart, openWithLateScripts } from "./ways";

let weather: HarmlessSite;

test.beforeAll(async () => {
  weather = await startHarmlessSite();
});
test.afterAll(() => weather.stop());

function launchChromium() {
  const { launchOptions } = test.info().project.use;
  const address = `127.0.0.1:${weather.port}`;
  return chromium.launch({
    ...launchOptions,
    args: [...(launchOptions?.args ?? []), `--host-resolver-rules=MAP www.weather.gov ${address}`],
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
}

async function launchFirefox() {
  const { launchOptions, channel, javaScriptEnabled } = test.info().project.use;
  const browser = await firefox.launch({
    ...launchOptions,
    channel: channel!,
    firefoxUserPrefs: {
      ...launchOptions?.firefoxUserPrefs,
      "network.proxy.type": 1,
      "network.proxy.ssl": "127.0.0.1",
      "network.proxy.ssl_port": weather.proxyPort,
    },
  });
  adaptFirefox(browser, javaScriptEnabled === false);
  return browser;
}

/**
 * A page in a browser as people have it: one that keeps pages in memory for "Back", which Playwright turns off in
 * Chromium. (An installed Chromium does; the one from npm, which has no windows, never does.) In it the harmless page is
 * on this machine.
 */
async function openBrowser() {
  const { browserName } = test.info().project.use;
  const browser = await (browserName === "firefox" ? launchFirefox() : launchChromium());
  const context = await browser.newContext({
    baseURL: appUrl(),
    ignoreHTTPSErrors: true,
    javaScriptEnabled: scripted(),
    extraHTTPHeaders: { [VISITOR_HEADER]: "10.9.8.7" },
  });
  return { browser, page: await context.newPage() };
}

test("leaving quickly ends the session, and Back shows a neutral sign-in page", async () => {
  const { browser, page } = await openBrowser();
  await signIn(page, await createAccount("Quick Sam"));
  await page.goto("/listings");
  await page.getByRole("button", { name: "Leave quickly" }).click();
  await expect(page).toHaveTitle("Weather");

  await page.goBack();
  await expect(page).toHaveURL(/\/login\?redirectTo=%2Flistings$/);
  await expect(page).toHaveTitle("Sign in · Dashboard");
  await expect(page.getByText("Quick Sam")).toHaveCount(0);
  await browser.close();
});

for (const [what, answer] of [
  ["has no connection", (route: Route) => route.abort("internetdisconnected")],
  [
    "is answered by a proxy while the app restarts",
    (route: Route) => route.fulfill({ status: 502, contentType: "text/html", body: "Bad Gateway" }),
  ],
] as const)
  test(`someone who leaves quickly and ${what} is signed out as soon as the browser asks for another page`, async () => {
    test.skip(!scripted(), "Without script, nothing in the browser can note that someone left.");
    const { browser, page } = await openBrowser();
    await signIn(page, await createAccount("Lost Sam"));
    await page.goto("/listings");
    await scriptRuns(page);
    await page.route("**/leave", answer);
    const failed = Promise.race([
      page.waitForEvent("requestfailed", (request) => request.url().endsWith("/leave")),
      page.waitForResponse(/\/leave$/),
    ]);
    for (let press = 0; press < 3; press++) await page.keyboard.press("Escape");
    await failed;
    await page.unroute("**/leave");
    const later = await page.context().newPage();
    await later.goto("/listings");
    await expect(later).toHaveTitle("Sign in · Dashboard");
    await expect(later.getByText("Lost Sam")).toHaveCount(0);
    await browser.close();
  });

test("the sign-in page works where WebKit shows it, after Back, at the address of the page that was left", async ({
  page,
}) => {
  await page.addInitScript(() => {
    if (location.pathname === "/login") history.replaceState(history.state, "", "/listings");
  });
  await page.goto("/listings");
  await expect(page).toHaveTitle("Sign in · Dashboard");
  if (scripted()) await scriptRuns(page);
  if (scripted()) await expect(page).toHaveURL(/\/login\?redirectTo=%2Flistings$/);
  await submitLogin(page, await createAccount("Back Sam"));
  await expect(page).toHaveURL(/\/listings$/);
  await expect(page).toHaveTitle(/^Business Listings/);
});

/** Something that a test waits for, and lets happen. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Leaves, up to the end of the session. @returns lets the harmless page come, and waits for it */
async function beginLeaving(page: Page): Promise<() => Promise<void>> {
  const harmless = createGate();
  weather.comesAfter(harmless.opened);
  const left = page.waitForResponse(/\/leave$/);
  await page.getByRole("button", { name: "Leave quickly" }).click({ noWaitAfter: true });
  await left;
  return async () => {
    harmless.open();
    await expect(page).toHaveTitle("Weather");
  };
}

test("what a form still waits for comes in no place of the harmless page", async ({
  browserName,
}) => {
  test.skip(!scripted(), "Without script, the browser itself waits for nothing else.");
  test.skip(browserName === "firefox", "WebDriver BiDi can't hold the answer to a form.");
  const { browser, page } = await openBrowser();
  const owner = await createAccount("Hurried Sam");
  const [id] = await addListings(owner, ["Queer Books"], {});
  await signIn(page, owner);
  await page.goto(`/listings/${id}/visibility`);
  await scriptRuns(page);
  const [answered, late] = [createGate(), createGate()];
  await page.route(/visibility\.data/, async (route) => {
    const response = await route.fetch();
    answered.open();
    await late.opened;
    // With the form given up, there is nothing to answer.
    await route.fulfill({ response }).catch(() => undefined);
  });
  await page.getByRole("button", { name: "Hide listing" }).click({ noWaitAfter: true });
  await answered.opened;
  const harmlessPageComes = await beginLeaving(page);
  late.open();
  await page.waitForTimeout(2_000);
  await harmlessPageComes();

  await page.goBack();
  await expect(page).toHaveTitle("Sign in · Dashboard");
  await expect(page.getByText("Queer Books")).toHaveCount(0);
  await browser.close();
});

test("what a page asks for by itself after someone has left quickly comes in no place of the harmless page", async () => {
  test.skip(!scripted(), "Only script asks by itself, as while it waits for a payment.");
  const { browser, page } = await openBrowser();
  await signIn(page, await createAccount("Waiting Sam"));
  await page.goto("/listings");
  await scriptRuns(page);
  await page.evaluate(() =>
    addEventListener("submit", () => setTimeout(() => window.__remixRouter.revalidate(), 500)),
  );
  const harmlessPageComes = await beginLeaving(page);
  await page.waitForTimeout(2_000);
  await harmlessPageComes();
  await browser.close();
});

test("details that can’t be shown after someone has left quickly come in no place of the harmless page", async ({
  browserName,
}) => {
  test.skip(!scripted(), "Without script, details are a page.");
  test.skip(browserName === "firefox", "WebDriver BiDi can't hold the answer to a form.");
  const { browser, page } = await openBrowser();
  await signIn(page, await createAccount("Leaving Lou", { email: newEmail("lou"), admin: true }));
  await page.goto("/admin/listings");
  await scriptRuns(page);
  const code = await page.evaluate(
    () => window.__remixManifest.routes["routes/admin.listings.$id_.details"]!.module,
  );
  const late = createGate();
  const leaveArrives = await hold(page, "**/leave");
  // Firefox ends what is on its way when someone leaves.
  await page.route(`**${code}`, async (route) => {
    await late.opened;
    await route.abort();
  });
  const asked = page.waitForRequest(`**${code}`);
  await page.locator("a[href*='/details']").first().click();
  await asked;
  await page.getByRole("button", { name: "Leave quickly" }).click({ noWaitAfter: true });
  late.open();
  await page.waitForTimeout(1_000);
  leaveArrives();
  await expect(page).toHaveTitle("Weather");
  await browser.close();
});

test("after leaving quickly, Back shows no address with which someone signed in or asked for a new password", async () => {
  const { browser, page } = await openBrowser();
  const email = await createAccount("Signed-in Sam");
  await page.goto("/recovery");
  await page.getByLabel("Email").fill(email);
  await page.goto("/login");
  await submitLogin(page, email);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Welcome, Signed-in Sam");
  await page.getByRole("button", { name: "Leave quickly" }).click();
  await expect(page).toHaveTitle("Weather");

  for (const address of [/\/login\?redirectTo=%2F$/, /\/login$/, /\/recovery$/]) {
    await page.goBack();
    await expect(page).toHaveURL(address);
    await expect(page.getByLabel("Email")).toHaveValue("");
  }
  await browser.close();
});

test("leaving quickly asks nothing about what was typed before script arrives", async () => {
  test.skip(!scripted(), "Without script, nothing asks.");
  const { browser, page } = await openBrowser();
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await signIn(page, await createAccount("Early Sam"));
  await openWithLateScripts(page, "/jobs/new");
  await page.getByLabel("Job Title").pressSequentially("Night baker");
  await page.getByRole("button", { name: "Leave quickly" }).click({ noWaitAfter: true });
  await expect(page).toHaveTitle("Weather");
  expect(asked).toEqual([]);
  await browser.close();
});

test("signing out, which waits for a draft, comes in no place of the harmless page, also where the page was translated before script arrived", async () => {
  test.skip(!scripted(), "Without script, signing out waits for nothing.");
  const { browser, page } = await openBrowser();
  await signIn(page, await createAccount("Translated Sam"));
  await page.addInitScript(() => {
    addEventListener("DOMContentLoaded", () => (document.documentElement.lang = "es"));
  });
  await page.goto("/jobs/new");
  await page.getByLabel("Job Title").pressSequentially("Night");
  await expect(page.getByText(/^Saved as a draft/)).toBeVisible();
  await hold(page, /\/drafts/);
  await page.getByLabel("Job Title").pressSequentially(" baker");
  const saved = page.waitForRequest(/\/drafts/);
  await page.getByRole("button", { name: "Logout" }).click({ noWaitAfter: true });
  await saved;
  for (let press = 0; press < 3; press++) await page.keyboard.press("Escape");
  await expect(page).toHaveTitle("Weather");
  await browser.close();
});

test("leaving quickly works on an error page", async () => {
  const { browser, page } = await openBrowser();
  await signIn(page, await createAccount("Lost Sam"));
  await page.goto("/no-such-page");
  await expect(page).toHaveTitle("Page not found · Dashboard");
  await page.getByRole("button", { name: "Leave quickly" }).click();
  await expect(page).toHaveTitle("Weather");
  await page.goto("/listings");
  await expect(page).toHaveURL(/\/login/);
  await browser.close();
});

test("Escape three times leaves quickly, and the page is blank at once", async () => {
  test.skip(!scripted(), "The page has no script then.");
  const { browser, page } = await openBrowser();
  // What is shown while the response is on its way.
  await page.addInitScript(() => {
    addEventListener("submit", () =>
      setTimeout(() => console.info(`“${document.body.innerText}” “${document.title}”`)),
    );
  });
  const shown: string[] = [];
  page.on("console", (message) => shown.push(message.text()));
  await signIn(page, await createAccount("Escaping Sam"));
  await page.goto("/listings");
  // Another key, or a pause, begins the count again.
  for (const key of ["Escape", "Escape", "Tab", "Escape", "Escape"]) await page.keyboard.press(key);
  await page.waitForTimeout(2_100);
  await page.keyboard.press("Escape");
  await expect(page).toHaveTitle(/^Business Listings/);

  for (let times = 0; times < 2; times++) await page.keyboard.press("Escape");
  await expect(page).toHaveTitle("Weather");
  expect(shown).toEqual(["“” “”"]);
  await page.goBack();
  await expect(page).toHaveTitle("Sign in · Dashboard");
  await browser.close();
});

test("Escape pressed while the page loads doesn’t stop the script that counts it from arriving", async () => {
  test.skip(!scripted(), "The page has no script then.");
  const { browser, page } = await openBrowser();
  // To a browser with a window Escape means "stop loading". Playwright's browser has none.
  await page.addInitScript(() => {
    addEventListener("keydown", (event) => {
      setTimeout(() => console.info(event.key, event.defaultPrevented));
    });
  });
  const pressed: string[] = [];
  page.on("console", (message) => pressed.push(message.text()));
  await signIn(page, await createAccount("Slow Sam"));
  const arrive = await openWithLateScripts(page, "/listings");
  await expect(page.getByRole("button", { name: "Leave quickly" })).toBeVisible();
  for (const key of ["Escape", "a"]) await page.keyboard.press(key);
  await expect.poll(() => pressed).toEqual(["Escape true", "a false"]);
  await arrive();
  await scriptRuns(page);
  await page.keyboard.press("Escape");
  await expect.poll(() => pressed.at(-1)).toBe("Escape false");
  for (let times = 0; times < 2; times++) await page.keyboard.press("Escape");
  await expect(page).toHaveTitle("Weather");
  await browser.close();
});

test("the page goes blank at once also before script arrives, and Escape doesn’t stop what leaves", async ({
  browserName,
}) => {
  test.skip(!scripted(), "The page has no script then.");
  test.skip(browserName === "firefox", "WebDriver BiDi can't hold the answer to a form.");
  const { browser, page } = await openBrowser();
  const shown: string[] = [];
  page.on("console", (message) => shown.push(message.text()));
  await page.addInitScript(() => {
    addEventListener("keydown", (event) => {
      setTimeout(() => {
        console.info(event.key, event.defaultPrevented, `“${document.body.innerText}”`);
      });
    });
  });
  await signIn(page, await createAccount("Slow Sam"));
  const arrive = await openWithLateScripts(page, "/listings");
  const leaveArrives = await hold(page, "**/leave");
  await page.getByRole("button", { name: "Leave quickly" }).click({ noWaitAfter: true });
  await page.keyboard.press("Escape");
  await expect.poll(() => shown).toEqual(["Escape true “”"]);
  void arrive().catch(() => undefined);
  await page.waitForTimeout(1_500);
  for (let times = 0; times < 3; times++) await page.keyboard.press("Escape");
  await expect.poll(() => new Set(shown)).toEqual(new Set(["Escape true “”"]));
  leaveArrives();
  await expect(page).toHaveTitle("Weather");
  await browser.close();
});

test("Escape pressed once more, or held down, doesn’t stop the harmless page", async () => {
  test.skip(!scripted(), "The page has no script then.");
  const { browser, page } = await openBrowser();
  // To a browser with a window Escape means "stop loading". Playwright's browser has none.
  await page.addInitScript(() => {
    addEventListener("keydown", (event) => console.info(event.key, event.defaultPrevented));
  });
  const pressed: string[] = [];
  page.on("console", (message) => pressed.push(message.text()));
  await signIn(page, await createAccount("Hammering Sam"));
  await page.goto("/listings");
  const harmless = createGate();
  weather.comesAfter(harmless.opened);
  const left: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/leave")) left.push(request.method());
  });
  // Until it has left: a busy machine may take more than two seconds for three of them.
  while (pressed.at(-1) !== "Escape true") {
    const times = pressed.length;
    await page.keyboard.press("Escape");
    await expect.poll(() => pressed.length).toBeGreaterThan(times);
  }
  for (let times = 0; times < 2; times++) await page.keyboard.press("Escape");
  const last = [false, false, true, true, true].map((prevented) => `Escape ${prevented}`);
  await expect.poll(() => pressed.slice(-5)).toEqual(last);
  harmless.open();
  await expect(page).toHaveTitle("Weather");
  expect(left).toEqual(["POST"]);
  await browser.close();
});

test("the page stays blank when its script goes on after someone has left quickly", async () => {
  test.skip(!scripted(), "The page has no script then.");
  const { browser, page } = await openBrowser();
  const owner = await createAccount("Early Leaving Sam");
  const [id] = await addListings(owner, ["Queer Books"], {});
  await signIn(page, owner);
  await page.addInitScript(() => {
    setInterval(() => console.info(`“${document.body.innerText}” “${document.title}”`), 100);
  });
  const shown: string[] = [];
  page.on("console", (message) => shown.push(message.text()));
  const partArrives = await holdPart(page, `/listings/${id}`);
  await page.goto(`/listings/${id}`, { waitUntil: "commit" });
  await page.waitForFunction(() => "__remixManifest" in window);
  await page.waitForTimeout(1_000);
  const harmlessPageComes = await beginLeaving(page);
  partArrives();
  shown.length = 0;
  await expect.poll(() => shown.length).toBeGreaterThan(15);
  expect(new Set(shown)).toEqual(new Set(["“” “”"]));
  await harmlessPageComes();
  await browser.close();
});

test("the page goes blank also where the browser has changed it before script came, or translated the names of what is in it", async () => {
  test.skip(!scripted(), "The page has no script then.");
  const { browser, page } = await openBrowser();
  await signIn(page, await createAccount("Extended Sam"));
  await page.addInitScript(() => {
    addEventListener("DOMContentLoaded", () =>
      document.querySelector("main")!.prepend(document.createElement("div")),
    );
    setInterval(() => console.info(`“${document.body.innerText}”`), 100);
  });
  const shown: string[] = [];
  page.on("console", (message) => shown.push(message.text()));
  await page.goto("/listings");
  await scriptRuns(page);
  await page.locator("[aria-label]").evaluateAll((all) => {
    for (const element of all) element.setAttribute("aria-label", "Salida");
  });
  // What takes a moment to change its color is not in view for that moment.
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.evaluate(() => {
    const inView = (link: Element) =>
      link.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    addEventListener("submit", () => {
      setTimeout(() => console.info(`links: ${[...document.links].filter(inView).length}`), 20);
    });
  });
  const links = page.waitForEvent("console", (message) => message.text().startsWith("links"));
  const harmlessPageComes = await beginLeaving(page);
  expect((await links).text()).toBe("links: 0");
  shown.length = 0;
  await expect.poll(() => shown.length).toBeGreaterThan(12);
  // In the first of them a link may still change its color, without being in view.
  expect(new Set(shown.slice(2))).toEqual(new Set(["“”"]));
  await harmlessPageComes();
  await browser.close();
});

/** Goes back. @returns whether the page is the one from before, still with what script had put there */
async function goBackToMarked(page: Page): Promise<boolean> {
  const left = page.url();
  // A page from memory does not load, so there is no load to wait for.
  await page.goBack({ waitUntil: "commit" });
  let marked: unknown;
  // The page that is left can still answer, or go while it is asked, which is an error.
  await expect(async () => {
    const [state, url, mark] = await page.evaluate<unknown[]>(
      "[document.readyState, location.href, window.marked]",
    );
    expect([state, url !== left]).toEqual(["complete", true]);
    marked = mark;
  }).toPass();
  return marked === true;
}

const mark = (page: Page) => page.evaluate("window.marked = true");

test("Back shows a page from memory, and never to the next person who uses the browser", async () => {
  test.skip(!scripted(), "What is in memory is seen by script.");
  const { browser, page } = await openBrowser();
  await page.goto("https://www.weather.gov/");
  await mark(page);
  await page.goto("/login");
  const keepsPages = await goBackToMarked(page);

  const email = await createAccount("Back Sam");
  for (const version of ["light", "full"]) {
    await page.request.post("/version", { form: { version }, headers: { Origin: appUrl() } });
    const open = async (leaveFor?: string) => {
      await signIn(page, email);
      await page.goto("/listings");
      await page.reload();
      if (version === "full") await scriptRuns(page);
      await mark(page);
      if (leaveFor) await page.goto(leaveFor);
    };
    // At once, while nothing has changed.
    await open("/privacy");
    expect(await goBackToMarked(page), version).toBe(keepsPages);
    await expect(page).toHaveTitle(/^Business Listings/);
    await open("https://www.weather.gov/");
    expect(await goBackToMarked(page), version).toBe(keepsPages);

    // Signed out meanwhile, in another tab.
    await open("https://www.weather.gov/");
    const tab = await page.context().newPage();
    await tab.goto("/account");
    await tab.getByRole("button", { name: "Logout" }).click();
    await expect(tab).toHaveTitle("Sign in · Dashboard");
    await tab.close();
    expect(await goBackToMarked(page), version).toBe(false);
    await expect(page).toHaveTitle("Sign in · Dashboard");

    // Signed out here. With script, Back is the router's, in the same document, and loads anew.
    await open();
    await page.getByRole("button", { name: "Logout" }).click();
    await expect(page).toHaveTitle("Sign in · Dashboard");
    await page.goBack({ waitUntil: "commit" });
    await expect(page).toHaveURL(/\/login\?redirectTo=%2Flistings$/);
    await expect(page.getByText("Back Sam")).toHaveCount(0);

    // Left quickly.
    await open();
    await page.getByRole("button", { name: "Leave quickly" }).click();
    await expect(page).toHaveTitle("Weather");
    expect(await goBackToMarked(page), version).toBe(false);
    await expect(page).toHaveTitle("Sign in · Dashboard");
  }
  await browser.close();
});
