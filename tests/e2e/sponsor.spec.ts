import { demo } from "./data-api";
import { atNight, checkPage, expect, scripted, signIn, test } from "./journey";

/**
 * The two runs order for the same account at the same time: they find their own order by its price, and
 * choose dates of their own, since a listing has one spot in each newsletter.
 */
const inThisRun = <Value>(values: { on: Value; off: Value }) =>
  scripted() ? values.on : values.off;

test("two newsletters are sponsored, from the empty form to the paid order", async ({ page }) => {
  await signIn(page, demo.rosa);
  await page.goto("/");
  await page.getByRole("link", { name: "Newsletter Features" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Newsletter Features");
  await page.getByRole("link", { name: "Sponsor a newsletter" }).click();
  await expect(page.getByLabel("Price per newsletter")).toHaveValue("45");

  const rate = inThisRun({ on: "50.50", off: "51.50" });
  const total = inThisRun({ on: "$101", off: "$103" });
  // Rejected: everything typed is retained, and each reason links to its field.
  const text = `Red, green or both? ${test.info().project.name} ${Date.now()}`;
  const boxes = page.getByRole("checkbox");
  await page.getByLabel("Price per newsletter").fill("45.001");
  await page.getByLabel("Link").fill("rosas.example/brunch");
  const [last, lastButOne] = inThisRun<[number, number]>({ on: [-1, -2], off: [-5, -6] });
  await boxes.nth(last).check();
  await boxes.nth(lastButOne).check();
  await page.getByRole("button", { name: "Save and pay" }).last().click();
  await expect(page.getByRole("heading", { name: "There is a problem" })).toBeVisible();
  await expect(page).toHaveTitle(/^Error: /);
  await expect(page.getByLabel("Price per newsletter")).toHaveValue("45.001");
  await expect(boxes.nth(last)).toBeChecked();
  await checkPage(page, "newsletter feature form, rejected");
  await page.getByRole("link", { name: "Enter your promo text." }).click();
  await expect(page.getByLabel("Promo text")).toBeInViewport();

  // The preview and the total follow what is typed; without script, when a button is pressed.
  await page.getByLabel("Business").selectOption({ index: 1 });
  await page.getByLabel("Promo text").fill(text);
  await page.getByLabel("Price per newsletter").fill(rate);
  if (!scripted()) await page.getByRole("button", { name: "Update preview" }).click();
  const summary = page.getByRole("region", { name: "Preview" });
  for (const shown of [text, "rosas.example", total, `2 newsletters at $${rate}`])
    await expect(summary).toContainText(shown);
  await expect(page.getByLabel("Promo text")).toHaveValue(text);
  await checkPage(page, "newsletter feature form, with its preview");

  await page.getByRole("button", { name: "Save and pay" }).last().click();
  await page.getByRole("button", { name: `Pay ${total}.00` }).click();
  await expect(page.getByText("Payment received. Your dates are booked!")).toBeVisible();
  const order = page.getByRole("row").filter({ hasText: total }).first();
  for (const shown of [total, "Paid"]) await expect(order).toContainText(shown);
  await checkPage(page, "newsletter features, paid");

  const file = page.waitForEvent("download");
  await order.getByRole("link", { name: /^Add to calendar/ }).click();
  expect((await file).suggestedFilename()).toBe("newsletter-features.ics");
  await order.getByRole("rowheader").getByRole("link").click();
  await expect(page.getByText(`You paid ${total}.`)).toBeVisible();
  await page.getByLabel("Promo text").fill(`${text}!`);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("region", { name: "Preview" })).toContainText(`${text}!`);
  await checkPage(page, "newsletter feature, paid");
});

test(
  "an owner who leaves the payment releases the dates, and pays later",
  atNight("on"),
  async ({ page }) => {
    await signIn(page, demo.rosa);
    await page.goto("/sponsor/new");
    await page.getByLabel("Business").selectOption({ index: 1 });
    await page.getByLabel("Promo text").fill(`Later ${test.info().project.name} ${Date.now()}`);
    const rate = inThisRun({ on: "47.11", off: "47.22" });
    await page.getByLabel("Price per newsletter").fill(rate);
    await page
      .getByRole("checkbox")
      .nth(inThisRun({ on: -4, off: -8 }))
      .check();
    await page.getByRole("button", { name: "Save and pay" }).last().click();
    await page.getByRole("link", { name: /back/i }).click();
    await expect(page.getByText("You left before paying.")).toBeVisible();
    await expect(page.getByText(/Spots held until/).first()).toBeVisible();
    await checkPage(page, "newsletter features, payment left");
    await page.getByRole("button", { name: "Release my dates" }).click();
    await expect(page.getByText("Your order is saved. You can pay for it later.")).toBeVisible();

    const order = page
      .getByRole("row")
      .filter({ hasText: `$${rate}` })
      .first();
    await order.getByRole("rowheader").getByRole("link").click();
    await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(1);
    await checkPage(page, "newsletter feature form, with dates");
    await page.goto("/sponsor");
    await order.getByRole("button", { name: /^Pay Now!/ }).click();
    await page.getByRole("button", { name: /^Pay \$/ }).click();
    await expect(page.getByText("Payment received. Your dates are booked!")).toBeVisible();
  },
);

test("an admin sees the features of a newsletter", atNight("on"), async ({ page }) => {
  await signIn(page, demo.admin);
  await page.goto("/admin");
  await page.getByRole("link", { name: "Newsletter Dates" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Newsletter Dates");
  await page
    .getByRole("link", { name: /^\d+: features on/ })
    .first()
    .click();
  await expect(page.getByText(/^Features on /)).toBeVisible();
  await checkPage(page, "newsletter, its features");
});

test(
  "an admin blocks a date and opens it again: none stays selected",
  atNight("off"),
  async ({ page }) => {
    await signIn(page, demo.admin);
    await page.goto("/admin/newsletter-dates");
    // None that another test orders meanwhile: its payment would be refunded.
    const row = page.getByRole("row").nth(inThisRun({ on: -9, off: -10 }));
    const box = row.getByRole("checkbox");
    for (const [button, state] of [
      ["Block", "Blocked"],
      ["Reopen", "Open"],
    ] as const) {
      await box.check();
      await page.getByRole("button", { name: button }).click();
      await expect(row).toContainText(state);
      await expect(box).not.toBeChecked();
    }
  },
);
