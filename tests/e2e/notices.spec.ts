import { addListings, createAccount, dataApi, demo } from "./data-api";
import { atNight, appUrl, checkPage, expect, openEmail, signIn, test } from "./journey";

test(
  "an owner gets an email about an approval, stops such emails with one click, and chooses them again",
  atNight("on"),
  async ({ page }) => {
    const email = await createAccount("Noor Haddad");
    await signIn(page, email);
    await page.goto("/account/notices");
    const approvals = page.getByLabel("One of your listings is approved");
    await expect(approvals).toBeChecked();
    await expect(page.getByLabel("You get a new message")).not.toBeChecked();

    const [id, other] = await addListings(email, ["Café", "Other"]);
    // An admin publishes it by hand: owners learn of a decision when it can't be undone anymore.
    await (await dataApi(demo.admin)).patch(`places?id=eq.${id}`, { status: "published" });
    // Undoing another decision delivers what is due, and withdraws what is not.
    await signIn(page, demo.admin);
    const headers = { Origin: appUrl() };
    const decided = await page.request.post(`${appUrl()}/admin/listings/${other}/details`, {
      form: { intent: "approve", version: "1" },
      headers,
    });
    expect(decided.ok()).toBe(true);
    const undone = await page.request.post(decided.url(), { form: { intent: "undo" }, headers });
    expect(undone.ok()).toBe(true);
    await signIn(page, email);
    await openEmail(page, email, "Your listing was approved");
    const stop = (await page.locator("pre").innerText()).match(/Unsubscribe: (\S+)/)![1]!;

    // Mail programs open every link by themselves: opening it stops nothing.
    await page.goto(stop);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Unsubscribe");
    await checkPage(page, "emails, to be stopped");
    await page.goto("/account/notices");
    await expect(approvals).toBeChecked();

    // The button of a mail program sends this, without a session and from no page of the dashboard.
    const sent = await fetch(stop, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
    expect(sent.status).toBe(204);
    await page.reload();
    await expect(approvals).not.toBeChecked();
    await approvals.check();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Your email settings are saved.")).toBeVisible();
    await expect(approvals).toBeChecked();

    await page.goto(stop);
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await expect(page.getByText("Done! You won’t get these emails anymore.")).toBeVisible();
  },
);
