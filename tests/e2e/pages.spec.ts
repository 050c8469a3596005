import { dataApi } from "./data-api";
import { checkPage, demo, expect, scripted, signIn, test } from "./journey";

test("an owner's pages, full of demo data", async ({ page }) => {
  await signIn(page, demo.owner);
  const pages = [
    "/",
    "/listings",
    "/listings/new",
    "/upgrade",
    "/jobs",
    "/leads",
    "/account",
    "/account/notices",
    "/privacy",
    "/privacy/delete",
    "/privacy/tracking",
    "/invitation",
  ];
  for (const path of pages) {
    await page.goto(path);
    await checkPage(page);
  }
  await page.goto("/listings");
  await page
    .getByRole("link", { name: /^Edit listing/ })
    .first()
    .click();
  await expect(page.getByRole("button", { name: "Save Updates" })).toBeVisible();
  await checkPage(page);
});

test("an admin's pages, full of demo data", async ({ page }) => {
  await signIn(page, demo.admin);
  for (const path of [
    "/admin",
    "/admin/jobs",
    "/admin/listings",
    "/admin/listings/export",
    "/admin/new",
    "/admin/premium",
    "/admin/flagged",
    "/admin/pending?edit=other",
    "/admin/pending",
  ]) {
    await page.goto(path);
    await checkPage(page);
  }

  // Nothing chosen: said in words, and the table is still there.
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(page.getByText("Choose the listings first.").first()).toBeVisible();
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  await checkPage(page);

  // The details of a change: a page without script, and a dialog over the table with it.
  await page.getByRole("row").nth(1).getByRole("link").click();
  await expect(page.getByText("What the edit changes")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(scripted() ? 1 : 0);
  await checkPage(page);
  if (scripted()) await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  else await page.getByRole("link", { name: "Close" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Pending Updates");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a listing under review, and all that can be done with it", async ({ page }) => {
  const [edited] = await (
    await dataApi(demo.admin)
  ).get("places?select=id&status=eq.pending-update&order=id&limit=1");
  await signIn(page, demo.admin);
  await page.goto(`/admin/listings/${String(edited!["id"])}?view=pending`);
  await expect(page.locator("del").first()).toBeVisible();
  for (const summary of await page.locator("main summary").all()) await summary.click();
  await checkPage(page);

  await page.getByRole("button", { name: "Request these changes" }).click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await checkPage(page);

  // Its form, with what admins alone decide in it.
  await page.goto(`/listings/${String(edited!["id"])}`);
  await page.getByLabel("Business Owner: find a person").fill("newcomer");
  await page.getByRole("button", { name: "Find person: Business Owner" }).click();
  await expect(page.getByText(/^Found: \d+\. Choose below who it is\.$/)).toBeVisible();
  await checkPage(page);
});

test("the menu of a small screen opens, and leads everywhere", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signIn(page, demo.admin);
  for (const [link, heading] of [
    ["My Account", "My Account"],
    ["Admin Dashboard", "Admin Dashboard"],
    ["Pending Updates", "Pending Updates"],
  ] as const) {
    await page.getByText("Menu", { exact: true }).click();
    await page.getByRole("navigation").getByRole("link", { name: link, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await expect(
      page.getByRole("navigation").getByRole("link", { name: link, exact: true }),
    ).toBeHidden();
  }
  await page.getByText("Menu", { exact: true }).click();
  await checkPage(page);
});

test("every page can be walked through with the keyboard", async ({ page }) => {
  await page.goto("/login");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to main content" })).toBeFocused();
  const seen = new Set<string>();
  for (let i = 0; i < 15; i++) {
    await page.keyboard.press("Tab");
    seen.add(
      await page.evaluate(
        () =>
          document.activeElement?.getAttribute("name") ??
          document.activeElement?.textContent?.trim() ??
          "",
      ),
    );
  }
  for (const stop of ["email", "password", "Login"]) expect([...seen]).toContain(stop);
});

test("a key pressed while a page is still loading leaves it its script", async ({ page }) => {
  test.skip(!scripted(), "there is none to lose");
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
    await page.waitForFunction("window.__remixRouter?.state.initialized");
    // A page with its script follows a link without loading anew.
    await page.evaluate("window.stillHere = true");
    await page.getByRole("link", { name: "Create an account" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Create An Account");
    expect(await page.evaluate("window.stillHere")).toBe(true);
  }
});
