import type { Page } from "playwright/test";

import { createAccount, newEmail, PASSWORD } from "./data-api";
import {
  atNight,
  checkPage,
  expect,
  openEmailedLink,
  pressLogout,
  scripted,
  signIn,
  submitLogin,
  test,
} from "./journey";

test(
  "a user who forgot their password sets a new one by email",
  atNight("on"),
  async ({ page }) => {
    const email = await createAccount("Forgetful Sam", { email: newEmail("forgetful") });
    const newPassword = "a much better one 77";

    await page.goto("/login");
    await page.getByRole("link", { name: /forgot/i }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Reset Password");
    await page.getByLabel("Email").fill("nonsense");
    await page.getByRole("button", { name: "Send the link" }).click();
    await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
    await expect(page.getByLabel("Email")).toHaveValue("nonsense");
    await checkPage(page, "password reset, rejected");
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await expect(page.getByText("If your email matches an account")).toBeVisible();
    await checkPage(page, "password reset, sent");

    await openEmailedLink(page, email, "Choose a new password");
    await checkPage(page, "password reset link");
    await page.getByRole("button", { name: "Choose a new password" }).click();
    await page.getByLabel("New Password").fill(newPassword);
    await page.getByLabel("Confirm Password").fill("something else 77");
    await page.getByRole("button", { name: "Update password" }).click();
    await expect(page.getByRole("link", { name: "The passwords do not match." })).toBeVisible();
    if (!scripted()) await expect(page.getByLabel("New Password")).toHaveValue("");
    await checkPage(page, "new password, rejected");
    await page.getByLabel("New Password").fill(newPassword);
    await page.getByLabel("Confirm Password").fill(newPassword);
    await page.getByRole("button", { name: "Update password" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      "Your password has been updated!",
    );
    await checkPage(page, "new password, saved");
    await page.getByRole("link", { name: "Go to your dashboard" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);

    await pressLogout(page);
    await submitLogin(page, email, newPassword);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);
  },
);

test(
  "a user changes their profile, including the email address",
  atNight("on"),
  async ({ page }) => {
    const email = await createAccount("Mover Sam", { email: newEmail("mover") });
    const moved = newEmail("moved");
    await signIn(page, email);

    await page.goto("/account");
    await page.getByLabel("Full name").fill("Zoë O’Hara");
    if (scripted()) {
      await page.getByLabel("Pronouns").fill("x".repeat(58));
      await expect(page.getByText("2 characters left")).toBeVisible();
    }
    await page.getByLabel("Pronouns").fill("ze/zir");
    await page.getByLabel("Country code").fill("United Kingdom (+44)");
    await page.getByLabel("Phone number").fill("not a number");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
    await expect(page.getByLabel("Pronouns")).toHaveValue("ze/zir");
    await expect(page.getByLabel("Country code")).toHaveValue("United Kingdom (+44)");
    await checkPage(page, "account, rejected");

    await page.getByLabel("Phone number").fill("020 7946 0018");
    await page.getByLabel(/newsletter/).check();
    await page.getByLabel("Email", { exact: true }).fill(moved);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await checkPage(page, "account, password asked for");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Profile updated!")).toBeVisible();
    await expect(page.getByLabel("Full name")).toHaveValue("Zoë O’Hara");
    await expect(page.getByLabel(/newsletter/)).toBeChecked();
    // The email address stays until both addresses have confirmed.
    await expect(page.getByLabel("Email", { exact: true })).toHaveValue(email);

    for (const [address, subject] of [
      [email, "confirm your email address change"],
      [moved, "confirm your new email address"],
    ] as const) {
      await openEmailedLink(page, address, subject);
      await page.getByRole("button", { name: "Confirm the change" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("My Account");
    }
    await expect(page.getByLabel("Email", { exact: true })).toHaveValue(moved);
    await signIn(page, moved);
  },
);

test("a consent that was withdrawn in another tab is not given again by a form that was open, or came back", async ({
  page,
}) => {
  await signIn(page, await createAccount("Consenting Sam"));
  const other = await page.context().newPage();
  const newsletter = (tab: Page) => tab.getByLabel(/newsletter/);
  const save = async (tab: Page) => {
    const button = tab.getByRole("button", { name: "Save", exact: true });
    const form = tab.locator("form", { has: button });
    await form.evaluate((one) => one.setAttribute("data-before", ""));
    await button.click();
    // It is another form once it shows what is saved. The message of the time before may still be there until then.
    await expect(tab.locator("[data-before]")).toHaveCount(0);
    await expect(tab.getByText("Profile updated!")).toBeVisible();
  };
  const withdraw = async () => {
    await other.goto("/account");
    await newsletter(other).uncheck();
    await save(other);
  };

  await page.goto("/account");
  await newsletter(page).check();
  await save(page);
  await withdraw();
  await page.getByLabel("Pronouns").fill("x".repeat(61));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await page.getByLabel("Pronouns").fill("they/them");
  await save(page);
  await expect(newsletter(page)).not.toBeChecked();
  await expect(page.getByLabel("Pronouns")).toHaveValue("they/them");

  await newsletter(page).check();
  await save(page);
  await page.goto("/account/purchases");
  await withdraw();
  await page.goBack();
  await expect(newsletter(page)).not.toBeChecked();
  await save(page);
  await expect(newsletter(page)).not.toBeChecked();
});

test("a rejected sign-up or login explains why and retains what was typed", async ({ page }) => {
  await page.goto("/signup");
  await page.getByLabel("Email", { exact: true }).fill("sam@");
  await page.getByLabel("Password").fill("short");
  await page.getByLabel("ZIP / postal code").fill("94114");
  await page.getByLabel(/newsletter/).check();
  await page.getByRole("button", { name: "Sign Up" }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(page).toHaveTitle(/^Error: /);
  for (const reason of [
    "Enter an email address like name@example.com.",
    "Use at least 8 characters for your password.",
    "Enter your full name.",
  ]) {
    await expect(page.getByRole("link", { name: reason })).toBeVisible();
  }
  await expect(page.getByLabel("Email", { exact: true })).toHaveValue("sam@");
  await expect(page.getByLabel("ZIP / postal code")).toHaveValue("94114");
  await expect(page.getByLabel(/newsletter/)).toBeChecked();
  // The server never sends a password back. With script, the field still has what was typed.
  if (!scripted()) await expect(page.getByLabel("Password")).toHaveValue("");
  await checkPage(page, "sign-up, rejected");

  await page.goto("/login");
  await submitLogin(page, "nobody@example.test", PASSWORD);
  await expect(page.getByText("That email address and password don’t match").first()).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveValue("nobody@example.test");
  await checkPage(page, "login, rejected");
});
