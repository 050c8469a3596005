import { createAccount, demo } from "./data-api";
import { atNight, checkPage, expect, scripted, signIn, test } from "./journey";

test(
  "an admin finds a user, sees their contact, and deletes them after confirming",
  atNight("on"),
  async ({ page }, { project }) => {
    const name = `Vesper ${project.name} ${Date.now()}`;
    const email = await createAccount(name);
    await signIn(page, demo.admin);
    await page.goto("/admin/users");
    await page.getByLabel("Email", { exact: true }).fill(email);
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page.getByRole("table", { name: "1 user found" })).toBeVisible();
    await expect(page.getByText(email)).toHaveCount(0);
    await page.getByRole("button", { name: `Show contact: ${name}` }).click();
    await expect(page.getByRole("link", { name: email })).toBeVisible();
    await expect(page.getByText("Shown and logged")).toBeVisible();
    await checkPage(page, "users, with a contact shown");

    await page.getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
    await expect(page.getByText("Business Owner")).toBeVisible();
    await page.getByRole("link", { name: "Permanently Delete" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      "Do you really want to permanently delete this user?",
    );
    await page.getByRole("link", { name: "Cancel" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
    const profile = page.url();
    await page.getByRole("link", { name: "Permanently Delete" }).click();
    await page.getByRole("button", { name: `Permanently delete ${name}` }).click();
    await expect(page.getByText("User permanently deleted.")).toBeVisible();
    await page.goto(profile);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("No user exists");
    await checkPage(page, "user, not found");
  },
);

test("an admin who presses Enter again refunds a part of a payment once", async ({ page }) => {
  test.skip(!scripted(), "Each answer is a new page then.");
  await signIn(page, demo.admin);
  await page.goto("/admin/payments");
  // It was paid for 24 days ago, which may be in the month before.
  const job = page.getByRole("link", { name: "Job listing: Line cook" });
  const months = page.getByRole("navigation", { name: "Months" });
  if ((await job.count()) === 0) await months.getByRole("link").first().click();
  await job.first().click();
  const amount = page.getByLabel("Amount in dollars");
  await amount.fill("2");
  await page.getByLabel("Reason").fill("A courtesy.");
  await amount.press("Enter");
  await expect(page.getByText("$2 refunded.")).toBeVisible();
  await expect(amount).toHaveValue("");
  await amount.press("Enter");
  await expect(page.getByRole("link", { name: /^Enter an amount/ })).toBeVisible();
  await expect(page.getByText("By our team (")).toHaveCount(1);
});
