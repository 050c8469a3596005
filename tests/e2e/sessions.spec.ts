import { createAccount, demo, endSessions, startSession } from "./data-api";
import {
  atNight,
  appUrl,
  checkPage,
  expect,
  fillListing,
  pressLogout,
  scripted,
  signIn,
  submitLogin,
  test,
} from "./journey";

test(
  "a page asks a visitor to sign in, and then shows what they had asked for",
  atNight("on"),
  async ({ page }) => {
    await page.goto("/listings/new");
    await expect(page).toHaveURL(/\/login\?redirectTo=/);
    await submitLogin(page, demo.owner);
    await expect(page).toHaveURL(/\/listings\/new\?draft=[0-9a-f-]{36}$/);
    await pressLogout(page);

    // Going back shows nothing of the session.
    await page.goBack();
    await page.goto("/listings");
    await expect(page).toHaveURL(/\/login/);
  },
);

test("the document in which the next person signs in holds nothing of the user before", async ({
  page,
}) => {
  const email = await createAccount("Leaving Sam");
  await signIn(page, email);
  await page.goto("/account");
  await pressLogout(page);
  expect(await page.content()).not.toContain(email);

  await submitLogin(page, email);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  await page.goto("/account");
  await endSessions(email);
  await page.getByRole("link", { name: "Home" }).click();
  await expect(page.getByLabel("Password")).toBeVisible();
  expect(await page.content()).not.toContain(email);
});

test(
  "a link of the mobile app names its account and asks, also before it replaces another one",
  atNight("on"),
  async ({ page }) => {
    await page.goto(`/account?token=${(await startSession(demo.newcomer)).refresh_token}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign in to this account?");
    await checkPage(page, "sign-in by a link");
    await page.getByRole("button", { name: "Don’t sign in" }).click();
    await expect(page).toHaveURL(/\/login/);

    const email = await createAccount("Mobile Sam");
    await signIn(page, email);
    const { refresh_token: token } = await startSession(demo.newcomer);

    await page.goto(`/account?token=${token}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Switch account?");
    expect(page.url()).not.toContain(token);
    await checkPage(page, "account switch");
    await page.getByRole("button", { name: `Stay signed in as ${email}` }).click();
    await expect(page.getByLabel("Email", { exact: true })).toHaveValue(email);

    await page.goto(`/account?token=${(await startSession(demo.newcomer)).refresh_token}`);
    await page.getByRole("button", { name: `Continue as ${demo.newcomer}` }).click();
    await expect(page.getByLabel("Email", { exact: true })).toHaveValue(demo.newcomer);
    await expect(page).toHaveURL(`${appUrl()}/account`);
  },
);

test("a session that ends while a form is open loses nothing that was typed", async ({ page }) => {
  const email = await createAccount("Timeout Sam");
  await signIn(page, email);
  await page.goto("/listings/new");
  await fillListing(page, "Typed Before The Session Ended");
  // A draft that is being saved when the session ends leads to the login page before anything is pressed.
  if (scripted()) await expect(page.getByText("Saved as a draft")).toBeVisible();

  await endSessions(email);
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByLabel("Password")).toBeVisible();
  await expect(page.getByText("we’ll bring back what you typed")).toBeVisible();
  await checkPage(page, "login, with a form saved");
  await submitLogin(page, email);

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("What you typed is still here");
  await checkPage(page, "form saved before the session ended");
  await page.getByRole("button", { name: "Back to the form" }).click();
  await expect(page).toHaveTitle(/^Add a listing/);
  await expect(page.getByLabel("Business Name")).toHaveValue("Typed Before The Session Ended");
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
});

test(
  "a form that is sent after signing out in another tab is shown only after signing in",
  atNight("on"),
  async ({ page, context }) => {
    const email = await createAccount("Two Tabs");
    await signIn(page, email);
    await page.goto("/listings/new");
    await fillListing(page, "Typed Before Signing Out");
    const other = await context.newPage();
    await other.goto("/listings");
    await pressLogout(other);

    await page.getByRole("button", { name: "Submit For Approval" }).click();
    await expect(page.getByText("we’ll bring back what you typed")).toBeVisible();
    expect(await page.content()).not.toContain("Typed Before Signing Out");
    await submitLogin(page, email);
    await page.getByRole("button", { name: "Back to the form" }).click();
    await expect(page.getByLabel("Business Name")).toHaveValue("Typed Before Signing Out");
  },
);

test(
  "a page that does not exist or is not allowed says so and links to the start",
  atNight("on"),
  async ({ page }) => {
    const missing = await page.goto("/no-such-page");
    expect(missing!.status()).toBe(404);
    await checkPage(page, "not found, signed out");

    await signIn(page, demo.owner);
    const forbidden = await page.goto("/admin/pending");
    expect(forbidden!.status()).toBe(403);
    await checkPage(page, "forbidden");
    await page.getByRole("link", { name: "Go to Home" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  },
);

test("Back leads out of the sign-in page once someone has signed in", async ({ page }) => {
  await page.goto("/recovery");
  await page.goto("/login");
  await submitLogin(page, await createAccount("Going Back Sam"));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  await page.goBack();
  await expect(page).toHaveURL(/\/(recovery)?$/);
  // Where the browser keeps the sign-in page in its history, Home has come in its place.
  if (new URL(page.url()).pathname === "/") await page.goBack();
  await expect(page).toHaveURL(/\/recovery$/);
});
