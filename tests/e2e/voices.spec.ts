import {
  checkPage,
  demo,
  expect,
  mobileApp,
  newEmail,
  signIn,
  signOut,
  signUp,
  test,
} from "./journey";

test("an admin puts feedback away and back, one and many; and settles reports, one by flagging what it is about", async ({
  page,
}, { project }) => {
  const email = newEmail("voice");
  const mark = `${project.name} ${Date.now()}`;
  await signUp(page, email, `Ash ${mark}`);
  await signOut(page);
  const [app, team] = [await mobileApp(email), await mobileApp(demo.admin)];
  for (const words of ["First", "Second", "Third"])
    await app.ask("feedback", { userid: app.id, feedback: `${words} ${mark}`, os: "iOS 5.0" });
  const place = {
    name: `Kiosk ${mark}`,
    category: 1,
    description: "Come in.",
    address: "1 Main St",
    rawaddress: "1 Main St",
    city: "Salem",
    state: "OR",
    third_party_auth: true,
    certified_queer: true,
  };
  await app.ask("places", { ...place, owner: app.id });
  const [{ id, version }] = (await app.ask(`places?select=id,version&owner=eq.${app.id}`)) as [
    { id: number; version: number },
  ];
  await team.ask("rpc/decide_listings", {
    batch: crypto.randomUUID(),
    action: "approve",
    items: [{ id, version }],
  });
  for (const reason of ["Closed", "Rude"])
    await app.ask("events", {
      event_name: "report_listing",
      place: id,
      user_id: app.id,
      data: { reason: `${reason} ${mark}`, info: "I was there." },
    });

  await signIn(page, demo.admin);
  await page.goto("/admin/feedback");
  const row = (words: string) => page.getByRole("row").filter({ hasText: `${words} ${mark}` });
  await expect(row("First")).toContainText("iOS 5.0");
  await checkPage(page);
  await row("First").getByRole("button", { name: "Archive/Done" }).click();
  await expect(page.getByText("1 archived.")).toBeVisible();
  await expect(row("First")).toHaveCount(0);
  for (const words of ["Second", "Third"]) await row(words).getByRole("checkbox").check();
  await page.getByRole("button", { name: "Archive the chosen" }).click();
  await expect(page.getByText("2 archived.")).toBeVisible();
  await page.getByRole("link", { name: "Show completed feedback" }).click();
  await expect(row("Third")).toBeVisible();
  await row("First").getByRole("button", { name: "Reopen" }).click();
  await expect(page.getByText("1 reopened.")).toBeVisible();
  await page.getByRole("link", { name: "Show completed feedback" }).click();
  await expect(row("First")).toBeVisible();

  await page.goto("/admin/reports");
  await expect(row("Closed").getByRole("link", { name: `Kiosk ${mark}` })).toHaveAttribute(
    "href",
    `/listings/${id}`,
  );
  await checkPage(page);
  await row("Rude").getByRole("checkbox").check();
  await page.getByLabel("Note").fill("Asked both sides.");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(page.getByText("1 dismissed.")).toBeVisible();
  await row("Closed").getByRole("checkbox").check();
  await page.getByRole("button", { name: "Flag the listing and resolve" }).click();
  await expect(page.getByText("1 resolved. 1 listing flagged.")).toBeVisible();
  await page.getByLabel("Reports that are").selectOption("Dismissed");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(row("Rude")).toContainText("Asked both sides.");
  await expect(row("Rude")).toContainText("Flagged");
});
