import {
  appUrl,
  checkPage,
  demo,
  expect,
  fillListing,
  newEmail,
  PASSWORD,
  signIn,
  signOut,
  signUp,
  test,
} from "./journey";

/** The token that the mobile app holds for somebody. */
async function mobileAppToken(email: string): Promise<string> {
  const response = await fetch(
    `${process.env["E2E_SUPABASE_URL"]}/auth/v1/token?grant_type=password`,
    {
      method: "POST",
      headers: { apikey: process.env["E2E_PUBLISHABLE_KEY"]!, "Content-Type": "application/json" },
      body: JSON.stringify({ email, password: PASSWORD }),
    },
  );
  return ((await response.json()) as { refresh_token: string }).refresh_token;
}

test("a page asks to sign in, and comes back to where somebody was going", async ({ page }) => {
  await page.goto("/listings/new");
  await expect(page).toHaveURL(/\/login\?redirectTo=/);
  await page.getByLabel("Email").fill(demo.owner);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Login" }).click();
  await expect(page).toHaveURL(`${appUrl()}/listings/new`);
  await signOut(page);

  // What was open before shows nothing any more.
  await page.goBack();
  await page.goto("/listings");
  await expect(page).toHaveURL(/\/login/);
});

test("the mobile app opens a page for somebody, and asks before it signs another out", async ({
  page,
}) => {
  const email = newEmail("mobile");
  await signUp(page, email, "Mobile Sam");
  const token = await mobileAppToken(demo.newcomer);

  await page.goto(`/account?token=${token}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Switch account?");
  expect(page.url()).not.toContain(token);
  await checkPage(page);
  await page.getByRole("button", { name: `Stay ${email}` }).click();
  await expect(page.getByLabel("Email", { exact: true })).toHaveValue(email);

  await page.goto(`/account?token=${await mobileAppToken(demo.newcomer)}`);
  await page.getByRole("button", { name: `Continue as ${demo.newcomer}` }).click();
  await expect(page.getByLabel("Email", { exact: true })).toHaveValue(demo.newcomer);
  await expect(page).toHaveURL(`${appUrl()}/account`);
});

/** Ends every session of somebody, as signing out everywhere on another machine does. */
async function endSessions(email: string) {
  const auth = `${process.env["E2E_SUPABASE_URL"]}/auth/v1`;
  const headers = {
    apikey: process.env["E2E_PUBLISHABLE_KEY"]!,
    "Content-Type": "application/json",
  };
  const elsewhere = await fetch(`${auth}/token?grant_type=password`, {
    method: "POST",
    headers,
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const { access_token } = (await elsewhere.json()) as { access_token: string };
  const ended = await fetch(`${auth}/logout?scope=global`, {
    method: "POST",
    headers: { ...headers, Authorization: `Bearer ${access_token}` },
  });
  expect(ended.status).toBe(204);
}

test("a session that ends under a form costs nobody what they typed", async ({ page }) => {
  const email = newEmail("timeout");
  await signUp(page, email, "Timeout Sam");
  await page.goto("/listings/new");
  await fillListing(page, "Typed Before The Session Ended");

  await endSessions(email);
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByLabel("Password")).toBeVisible();
  await expect(page.getByText("what you typed is kept")).toBeVisible();
  await checkPage(page);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Login" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "You were signed out while filling in a form",
  );
  await checkPage(page);
  await page.getByRole("button", { name: "Back to the form" }).click();
  await expect(page).toHaveTitle(/^Add a listing/);
  await expect(page.getByLabel("Business Name")).toHaveValue("Typed Before The Session Ended");
  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
});

test("a form that is sent after signing out in another tab is given back in its page", async ({
  page,
  context,
}) => {
  const email = newEmail("two-tabs");
  await signUp(page, email, "Two Tabs");
  await page.goto("/listings/new");
  await fillListing(page, "Typed Before Signing Out");
  const other = await context.newPage();
  await other.goto("/listings");
  await signOut(other);

  await page.getByRole("button", { name: "Submit For Approval" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("You’re signed out");
  await checkPage(page);
  await signIn(other, email);
  await page.getByRole("button", { name: "Send it again" }).click();
  await expect(page.getByText("Your listing has been submitted for review!")).toBeVisible();
});

test("a page that is not there, or not theirs, says so and leads on", async ({ page }) => {
  const missing = await page.goto("/no-such-page");
  expect(missing!.status()).toBe(404);
  await checkPage(page);

  await signIn(page, demo.owner);
  for (const [path, status] of [
    ["/no-such-page", 404],
    ["/listings/999999", 404],
    ["/admin", 403],
    ["/admin/pending", 403],
  ] as const) {
    const response = await page.goto(path);
    expect(response!.status(), path).toBe(status);
    await checkPage(page);
    await page.getByRole("link", { name: "Back to the start" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  }
});
