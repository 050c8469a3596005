import { createAccount, PASSWORD } from "./data-api";
import { atNight, checkPage, expect, openEmail, signIn, signOut, test } from "./journey";

test(
  "a user downloads their data, requests the deletion of their account, and cancels the request",
  atNight("on"),
  async ({ page, context }) => {
    const email = await createAccount("Robin Quill");
    await signIn(page, email);
    await page.goto("/privacy");
    await expect(page.getByRole("table", { name: "What we store" })).toBeVisible();
    const held = await context.request.get(
      (await page.getByRole("link", { name: "Download all your data" }).getAttribute("href"))!,
    );
    expect(held.headers()["content-disposition"]).toContain("attachment");
    expect(await held.text()).toContain(email);

    await page.getByRole("link", { name: "Delete my account" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      "Do you want to delete your account?",
    );
    await page.getByRole("link", { name: "Keep my account" }).click();
    await expect(page.getByText("Your account will be deleted after")).toHaveCount(0);
    await page.getByRole("link", { name: "Delete my account" }).click();
    await page.getByRole("button", { name: "Delete my account" }).click();
    await expect(page.getByRole("link", { name: "Enter your password." })).toBeVisible();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Delete my account" }).click();
    const due = page.getByText(/^Your account will be deleted after \w+ \d+, \d{4}$/);
    await expect(due).toBeVisible();
    const inSevenDays = new Date(Date.now() + 7 * 86_400_000).toLocaleDateString("en-US", {
      dateStyle: "medium",
      timeZone: "UTC",
    });
    await expect(due).toContainText(inSevenDays);
    await checkPage(page, "privacy, with a deletion date");

    // Until then the account works: they get an email, sign in again, and change their mind.
    await signOut(page);
    await openEmail(page, email, "Your account");
    await signIn(page, email);
    await page.goto("/account");
    await checkPage(page, "my account, with a deletion date");
    await page.goto("/");
    await checkPage(page, "home, with a deletion date");
    await expect(due).toBeVisible();
    await page.getByRole("button", { name: "Keep my account" }).click();
    await expect(
      page.getByText("We’re glad you’re staying! Your account won’t be deleted."),
    ).toBeVisible();
    await expect(due).toHaveCount(0);
  },
);
