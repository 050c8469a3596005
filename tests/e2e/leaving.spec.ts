import { checkPage, expect, newEmail, openMail, signIn, signUp, test } from "./journey";

test("somebody takes along what is held about them, asks to be deleted, is told, and stays after all", async ({
  page,
  context,
}) => {
  const email = newEmail("leaving");
  await signUp(page, email, "Robin Quill");
  await page.goto("/privacy");
  await expect(page.getByRole("table", { name: "What is held" })).toBeVisible();
  const held = await context.request.get(
    (await page
      .getByRole("link", { name: "Download everything we hold about you" })
      .getAttribute("href"))!,
  );
  expect(held.headers()["content-disposition"]).toContain("attachment");
  expect(await held.text()).toContain(email);

  await page.getByRole("link", { name: "Delete my account" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "Do you want to delete your account?",
  );
  await checkPage(page);
  await page.getByRole("link", { name: "Keep my account" }).click();
  await expect(page.getByText("Your account will be deleted on")).toHaveCount(0);
  await page.getByRole("link", { name: "Delete my account" }).click();
  await page.getByRole("button", { name: "Delete my account" }).click();
  const due = page.getByText(/^Your account will be deleted on \w+ \d+, \d{4} \(UTC\)$/);
  await expect(due).toBeVisible();
  const inWords = new Date(Date.now() + 7 * 86_400_000).toLocaleDateString("en-US", {
    dateStyle: "long",
    timeZone: "UTC",
  });
  await expect(due).toContainText(inWords);
  await checkPage(page);

  // Nothing is lost meanwhile: they still sign in, are told by e-mail, and change their mind.
  await openMail(page, email, "Your account");
  await context.clearCookies();
  await signIn(page, email);
  await page.goto("/privacy");
  await page.getByRole("button", { name: "Keep my account" }).click();
  await expect(page.getByText("Your account stays. We’re glad.")).toBeVisible();
  await expect(due).toHaveCount(0);
});
