import { dataApi, demo } from "./data-api";
import {
  atNight,
  checkPage,
  checkPageWithoutScript,
  expect,
  scripted,
  scriptRuns,
  signIn,
  test,
} from "./journey";

test(
  "an admin selects listings, and sees the details of a change",
  atNight("off"),
  async ({ page }) => {
    await signIn(page, demo.admin);
    await page.goto("/admin/pending");
    await page.getByRole("row").nth(1).getByRole("checkbox").check();
    await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeVisible();
    await checkPage(page, "queue, with a listing selected");

    // The details of a change are a page without script, and a dialog over the table with it.
    await page.getByRole("row").nth(1).getByRole("link").first().click();
    await expect(page.getByText("What changed", { exact: true }).last()).toBeVisible();
    await expect(page.getByRole("dialog")).toHaveCount(scripted() ? 1 : 0);
    await checkPage(page, "details of a change, in a dialog");
    await checkPageWithoutScript(page, "details of a change, on a page");
    if (scripted()) {
      const dialog = page.getByRole("dialog");
      // The page's own can't be reached while the dialog is open.
      await expect(dialog.getByRole("button", { name: "Leave quickly" })).toBeVisible();
      await dialog.getByRole("button", { name: "Close" }).click();
    } else await page.getByRole("link", { name: "Close" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Pending Updates");
    await expect(page.getByRole("dialog")).toHaveCount(0);
  },
);

test(
  "an admin reviews a listing: every section, a rejected request, and the form with its admin fields",
  atNight("off"),
  async ({ page }) => {
    const edited = await (
      await dataApi(demo.admin)
    ).first("places?select=id&status=eq.pending-update");
    await signIn(page, demo.admin);
    await page.goto(`/admin/listings/${edited}?view=pending`);
    await expect(page.locator("del").first()).toBeVisible();
    // Without script, the room that is kept for keyboard shortcuts is not there.
    const summaries = page.locator("main summary").filter({ visible: true });
    for (const summary of await summaries.all()) await summary.click();
    await checkPage(page, "review of an edit, with all sections open");

    await page.getByRole("button", { name: "Send request" }).click();
    await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
    await checkPage(page, "review, request rejected");

    await page.goto(`/listings/${edited}`);
    await page.getByLabel("Business Owner: search by name").fill("newcomer");
    await page.getByRole("button", { name: "Find person: Business Owner" }).click();
    await expect(page.getByText(/^\d+ found\. Choose the right person below\.$/)).toBeVisible();
    await checkPage(page, "listing form of an admin, with a person found");
  },
);

test("the menu of a small screen opens, and its links work", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signIn(page, demo.admin);
  await page.goto("/");
  for (const [link, heading] of [
    [/^My Account$/, "My Account"],
    [/^Pending Updates \d+ waiting$/, "Pending Updates"],
  ] as const) {
    await page.getByText("Menu", { exact: true }).click();
    await page.getByRole("navigation").getByRole("link", { name: link }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await expect(page.getByRole("navigation").getByRole("link", { name: link })).toBeHidden();
  }
  const menu = page.getByText("Menu", { exact: true });
  const inMenu = page.getByRole("navigation").getByRole("link", { name: /^Pending Updates/ });
  await menu.click();
  if (scripted()) {
    await inMenu.focus();
    await page.keyboard.press("Escape");
    await expect(inMenu).toBeHidden();
    await expect(page.locator("summary:focus")).toContainText("Menu");
    await menu.click();
  }
  await checkPage(page, "menu of a small screen");
});

test("the login page works with the keyboard alone", async ({ page }) => {
  await page.goto("/login");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to main content" })).toBeFocused();
  const focused = new Set<string>();
  for (let i = 0; i < 15; i++) {
    await page.keyboard.press("Tab");
    focused.add(
      await page.evaluate(
        () =>
          document.activeElement?.getAttribute("name") ??
          document.activeElement?.textContent?.trim() ??
          "",
      ),
    );
  }
  for (const name of ["email", "password", "Login"]) expect([...focused]).toContain(name);
});

test("keys pressed while a page is loading do not stop its script", async ({ page }) => {
  test.skip(!scripted(), "The page has no script then.");
  await page.addInitScript(() => {
    const turns = new MessageChannel();
    let left = 3_000;
    turns.port1.onmessage = () => {
      document.body?.dispatchEvent(new KeyboardEvent("keydown", { key: "Tab", bubbles: true }));
      if (left-- > 0) turns.port2.postMessage("again");
    };
    turns.port2.postMessage("first");
  });
  for (let times = 0; times < 3; times++) {
    await page.goto("/login");
    await scriptRuns(page);
    // A page whose script runs follows a link without loading a document.
    await page.evaluate("window.sameDocument = true");
    await page.getByRole("link", { name: "Create an account" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Create An Account");
    expect(await page.evaluate("window.sameDocument")).toBe(true);
  }
});
