import {
  checkPage,
  expect,
  newEmail,
  openMailedLink,
  PASSWORD,
  scripted,
  signIn,
  signOut,
  signUp,
  test,
} from "./journey";

test("somebody forgets their password, and sets a new one by mail", async ({ page }) => {
  const email = newEmail("forgetful");
  const newPassword = "a much better one 77";
  await signUp(page, email, "Forgetful Sam");
  await signOut(page);

  await page.getByRole("link", { name: /forgot/i }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Reset Password");
  await checkPage(page);
  await page.getByLabel("Email").fill("nonsense");
  await page.getByRole("button", { name: "Send the link" }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveValue("nonsense");
  await checkPage(page);
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send the link" }).click();
  await expect(page.getByText("If your email matches an account")).toBeVisible();
  await checkPage(page);

  await openMailedLink(page, email);
  await checkPage(page);
  await page.getByRole("button", { name: "Choose a new password" }).click();
  await page.getByLabel("New Password").fill(newPassword);
  await page.getByLabel("Confirm Password").fill("something else 77");
  await page.getByRole("button", { name: "Update password" }).click();
  await expect(page.getByRole("link", { name: "The passwords do not match." })).toBeVisible();
  if (!scripted()) await expect(page.getByLabel("New Password")).toHaveValue("");
  await checkPage(page);
  await page.getByLabel("New Password").fill(newPassword);
  await page.getByLabel("Confirm Password").fill(newPassword);
  await page.getByRole("button", { name: "Update password" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "Your password has been updated!",
  );
  await checkPage(page);
  await page.getByRole("link", { name: "Go to your dashboard" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Welcome/);

  await signOut(page);
  await signIn(page, email, newPassword);
});

test("somebody changes what we know of them, their address included", async ({ page }) => {
  const email = newEmail("mover");
  const moved = newEmail("moved");
  await signUp(page, email, "Mover Sam");

  await page.goto("/account");
  await checkPage(page);
  await page.getByLabel("Full name").fill("Zoë O’Hara");
  await page.getByLabel("Pronouns").fill("ze/zir");
  await page.getByLabel("Country code").selectOption("GB");
  await page.getByLabel("Phone number").fill("not a number");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(page.getByLabel("Pronouns")).toHaveValue("ze/zir");
  await expect(page.getByLabel("Country code")).toHaveValue("GB");
  await checkPage(page);

  await page.getByLabel("Phone number").fill("020 7946 0018");
  await page.getByLabel(/newsletter/).check();
  await page.getByLabel("Email", { exact: true }).fill(moved);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Profile updated!")).toBeVisible();
  await expect(page.getByLabel("Full name")).toHaveValue("Zoë O’Hara");
  await expect(page.getByLabel(/newsletter/)).toBeChecked();
  // The address is the old one until both have agreed.
  await expect(page.getByLabel("Email", { exact: true })).toHaveValue(email);

  for (const address of [email, moved]) {
    await openMailedLink(page, address);
    await page.getByRole("button", { name: "Yes, this is my address" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("My Account");
  }
  await expect(page.getByLabel("Email", { exact: true })).toHaveValue(moved);
  await signOut(page);
  await signIn(page, moved);
});

test("signing up and signing in are refused in words, and keep what was typed", async ({
  page,
}) => {
  await page.goto("/signup");
  await checkPage(page);
  await page.getByLabel("Email", { exact: true }).fill("sam@");
  await page.getByLabel("Password").fill("short");
  await page.getByLabel("ZIP / postal code").fill("94114");
  await page.getByLabel(/newsletter/).check();
  await page.getByRole("button", { name: "Sign Up" }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(page).toHaveTitle(/^Error: /);
  for (const reason of [
    "Enter an e-mail address like name@example.com.",
    "Use at least 8 characters for your password.",
    "Enter your full name.",
  ]) {
    await expect(page.getByRole("link", { name: reason })).toBeVisible();
  }
  await expect(page.getByLabel("Email", { exact: true })).toHaveValue("sam@");
  await expect(page.getByLabel("ZIP / postal code")).toHaveValue("94114");
  await expect(page.getByLabel(/newsletter/)).toBeChecked();
  // A password never comes back from the server; what script leaves standing is the person's own.
  if (!scripted()) await expect(page.getByLabel("Password")).toHaveValue("");
  await checkPage(page);

  await page.goto("/login");
  await checkPage(page);
  await page.getByLabel("Email").fill("nobody@example.test");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Login" }).click();
  await expect(
    page.getByText("That e-mail address and password don’t match an account.").first(),
  ).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveValue("nobody@example.test");
  await checkPage(page);
});
