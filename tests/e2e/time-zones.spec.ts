import { demo } from "./data-api";
import { expect, scripted, signIn, test } from "./journey";

test.use({ timezoneId: "America/New_York" });

test("a time is in the reader's zone where script runs, after a link and in a document, and otherwise in UTC", async ({
  page,
}) => {
  await signIn(page, demo.owner);
  await page.goto("/leads");
  await page
    .getByRole("link", { name: /: lead \d+$/ })
    .first()
    .click();
  const time = page.locator(".page-header time");
  await expect(time).toBeVisible();
  const at = new Date((await time.getAttribute("datetime"))!);
  const text = at.toLocaleString("en-US", {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone: scripted() ? "America/New_York" : "UTC",
    timeZoneName: "short",
  });
  await expect(time).toHaveText(text);
  await page.reload();
  await expect(time).toHaveText(text);
});
