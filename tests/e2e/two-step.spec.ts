import { makeTotpCode } from "../../local/hosted-factors";

import { createAccount, newEmail, PASSWORD } from "./data-api";
import { atNight, checkPage, expect, pressLogout, signIn, submitLogin, test } from "./journey";

test(
  "an admin turns two-step sign-in on, signs in with it, and uses a recovery code",
  atNight("on"),
  async ({ page }) => {
    const email = await createAccount("Two Step Tess", { email: newEmail("tess"), admin: true });
    await signIn(page, email);

    await page.goto("/admin/two-step");
    await page.getByRole("link", { name: "Turn on two-step sign-in" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Two-step sign-in");
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Set up two-step sign-in" }).click();

    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Add your authenticator app");
    const picture = page.getByRole("img", { name: "QR code with the same key" });
    await expect(picture).toBeVisible();
    const secret = (await page.locator("code").innerText()).replaceAll(" ", "");
    await page.getByLabel("Code from your authenticator app").fill("000000");
    await page.getByRole("button", { name: "Turn on two-step sign-in" }).click();
    await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
    await checkPage(page, "authenticator app, code rejected");
    await page.getByLabel("Code from your authenticator app").fill(makeTotpCode(secret));
    await page.getByRole("button", { name: "Turn on two-step sign-in" }).click();

    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your recovery codes");
    await expect(page.locator("main code")).toHaveCount(10);
    const recoveryCode = await page.locator("main code").first().innerText();
    await checkPage(page, "recovery codes");
    await page.getByRole("link", { name: "I’ve saved them" }).click();
    await expect(page.getByRole("button", { name: "Require it for every admin" })).toBeVisible();
    await page.goto("/account/two-step");
    await expect(page.getByText("You have 10 recovery codes")).toBeVisible();
    await checkPage(page, "two-step sign-in, on");

    await pressLogout(page);
    await page.goto("/login?redirectTo=/admin/users");
    await submitLogin(page, email);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Two-step sign-in");
    await checkPage(page, "second step");
    // A code works once, and the first one may still be shown: the next one is accepted as well.
    await page
      .getByLabel("Code from your authenticator app")
      .fill(makeTotpCode(secret, Date.now() + 30_000));
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Users");

    await pressLogout(page);
    await submitLogin(page, email);
    await page.getByText("Use a recovery code instead").click();
    await page.getByLabel("Recovery code").fill("00000-00000-00000");
    await page.getByRole("button", { name: "Use this code" }).click();
    await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
    await checkPage(page, "second step, recovery code rejected");
    await page.getByLabel("Recovery code").fill(recoveryCode);
    await page.getByRole("button", { name: "Use this code" }).click();
    await expect(page.getByText("Your recovery code turned off two-step sign-in")).toBeVisible();
  },
);
