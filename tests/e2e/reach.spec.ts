/** What people need who use a screen reader or the keyboard, beyond what every page is checked for. */
import type { Page } from "playwright/test";

import { demo } from "./data-api";
import { expect, scripted, scriptRuns, signIn, test } from "./journey";

test.beforeEach(() => {
  test.skip(!scripted(), "What is tested here is the same without script, or needs it.");
});

interface AccessibleNode {
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
  parentId?: string;
  nodeId: string;
}

/** The accessibility tree as the browser itself gives it to screen readers. */
async function accessibilityTree(page: Page): Promise<AccessibleNode[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send("Accessibility.getFullAXTree")) as {
    nodes: AccessibleNode[];
  };
  return nodes.filter(({ ignored }) => !ignored);
}

test("a table whose rows are cards stays a table for screen readers", async ({
  page,
  browserName,
}) => {
  test.skip(browserName !== "chromium", "Only Chromium shows what it tells screen readers.");
  await page.setViewportSize({ width: 320, height: 640 });
  for (const [who, path] of [
    [demo.owner, "/leads"],
    [demo.admin, "/admin/new"],
  ] as const) {
    await signIn(page, who);
    await page.goto(path);
    const shape = await page.evaluate(() => {
      const table = document.querySelector("table")!;
      return {
        display: getComputedStyle(table.querySelector("tbody tr")!).display,
        rows: table.rows.length,
        columns: table.rows[0]!.cells.length,
        headers: [...table.rows[0]!.cells].map((cell) => cell.textContent),
      };
    });
    expect(["block", "grid", "flex"], path).toContain(shape.display);
    const nodes = await accessibilityTree(page);
    const count = (role: string) => nodes.filter((node) => node.role?.value === role).length;
    expect(count("table"), path).toBe(1);
    expect(count("row"), path).toBe(shape.rows);
    expect(
      nodes.filter((node) => node.role?.value === "columnheader").map((node) => node.name?.value),
      path,
    ).toEqual(shape.headers);
    expect(count("rowheader"), path).toBe(shape.rows - 1);
    expect(count("cell") + count("gridcell"), path).toBe((shape.rows - 1) * (shape.columns - 1));
  }
});

test("the details of a listing keep the focus when they arrive, and return it", async ({
  page,
}) => {
  await signIn(page, demo.admin);
  await page.goto("/admin/pending");
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/details.data**", async (route) => {
    await arrived;
    await route.continue();
  });
  const link = page.getByRole("row").nth(1).getByRole("rowheader").getByRole("link");
  const name = (await link.textContent())!;
  await link.focus();
  await page.keyboard.press("Enter");
  const heading = page.getByRole("dialog").getByRole("heading", { level: 2 });
  await expect(heading).toHaveText("Loading");
  await expect(heading).toBeFocused();
  arrive();
  await expect(heading).toHaveText(name);
  await expect(heading).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(link).toBeFocused();
});

test("a phone number is shown as valid when the user leaves the field, and only then", async ({
  page,
}) => {
  await page.goto("/signup");
  await scriptRuns(page);
  const [country, number] = [page.getByLabel("Country code"), page.getByLabel("Phone number")];
  const valid = page.getByText("This phone number is valid.");
  await country.fill("United States (+1)");
  await number.fill("(415) 555-2671");
  await expect(valid).toHaveCount(0);
  await page.getByLabel("ZIP / postal code").focus();
  await expect(valid).toBeVisible();
  await number.fill("12");
  await expect(valid).toHaveCount(0);
  const answered = page.waitForResponse("**/phone-check");
  await page.getByLabel("ZIP / postal code").focus();
  await answered;
  await expect(valid).toHaveCount(0);
});

test("the chosen filter stands out in high contrast, where the system sets all colors", async ({
  page,
  browserName,
}) => {
  test.skip(browserName !== "chromium", "Only Chromium can be told other colors.");
  await page.emulateMedia({ forcedColors: "active" });
  await signIn(page, demo.owner);
  await page.goto("/listings");
  const lineUnder = (filter: string) =>
    page
      .locator(filter)
      .first()
      .evaluate((one) => getComputedStyle(one).textDecorationLine);
  expect(await lineUnder(".chip[aria-current]")).toBe("underline");
  expect(await lineUnder(".chip:not([aria-current])")).toBe("none");
});
