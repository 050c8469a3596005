/** What every page needs so that everyone can use it: on a phone, with large targets, more space between letters, and a screen reader. */
import type { Page } from "playwright/test";

import { adminPaths, ownerPaths, PUBLIC_PATHS } from "../support/page-paths";
import { dataApi, demo } from "./data-api";
import { expect, scripted, scriptRuns, signIn, test } from "./journey";

test.beforeEach(() => {
  test.skip(!scripted(), "The same pages look the same without script.");
});

/** The paths of all kinds of pages, with demo data. */
async function allPaths(): Promise<[who: string | null, paths: string[]][]> {
  const owner = await dataApi(demo.owner);
  const admin = await dataApi(demo.admin);
  const listing = await owner.first(`places?select=id&owner=eq.${owner.id}&status=eq.published`);
  const own = await owner.first(`places?select=id&owner=eq.${owner.id}&status=eq.pending-update`);
  const job = await owner.first(`jobs?select=id&owner=eq.${owner.id}`);
  const unpaid = await owner.first(`sponsorships?select=id&owner=eq.${owner.id}&paid=is.false`);
  const paid = await owner.first(`sponsorships?select=id&owner=eq.${owner.id}&paid=is.true`);
  const lead = await owner.first("leads?select=id");
  const edited = await admin.first("places?select=id&status=eq.pending-update");
  return [
    [null, PUBLIC_PATHS],
    [demo.owner, ownerPaths({ listing, edited: own, featured: listing, job, lead, unpaid, paid })],
    [demo.admin, adminPaths({ edited, user: owner.id })],
  ];
}

/** Opens every page, with everything in it that opens, and collects what a check finds. */
async function onAllPages(page: Page, check: (page: Page) => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  for (const [who, paths] of await allPaths()) {
    if (who !== null) await signIn(page, who);
    for (const path of paths) {
      await page.goto(path);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll<HTMLDetailsElement>("main details")) {
          details.removeAttribute("name");
          if (!details.matches("[data-menu]")) details.open = true;
        }
      });
      found.push(...(await check(page)).map((problem) => `${path}: ${problem}`));
    }
  }
  return found;
}

/** Links, buttons, and fields that are smaller than 24 px either way. A link in a sentence may be. */
function findSmallTargets(): string[] {
  const found = new Set<string>();
  for (const element of document.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary",
  )) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest(".sr-only"))
      continue;
    const label = element.matches("[type=checkbox], [type=radio]")
      ? (element as HTMLInputElement).labels?.[0]
      : undefined;
    const boxes = [element, ...(label ? [label] : [])].map((one) => one.getBoundingClientRect());
    const [width, height] = [
      Math.max(...boxes.map((box) => box.width)),
      Math.max(...boxes.map((box) => box.height)),
    ];
    if (width === 0 || (width >= 24 && height >= 24) || element.matches(".skip-link, .sr-only"))
      continue;
    // Within a line of other text.
    const block = element.closest("p, li, dd, td, th, h1, h2, h3, div");
    const isInline = getComputedStyle(element).display === "inline";
    const others = (block?.textContent ?? "").replace(element.textContent, "").trim();
    if (isInline && block?.matches("p, li, dd") && /\p{L}{2}/u.test(others)) continue;
    found.add(
      `${element.tagName.toLowerCase()} “${(element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 40)}” ${Math.round(width)}×${Math.round(height)} in ${element.parentElement?.className || element.parentElement?.tagName}`,
    );
  }
  return [...found];
}

/** The captions of tables that scroll sideways, unless something in them is open. */
const findWideTables = () =>
  [...document.querySelectorAll(".table-region:not(:has(details[open]))")]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(
      (region) => `${region.scrollWidth} px wide: ${region.querySelector("caption")!.textContent}`,
    );

test("every target is large enough on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await onAllPages(page, (one) => one.evaluate(findSmallTargets))).toEqual([]);
});

test("every target is large enough on a large screen, and no table scrolls sideways, on a tablet either", async ({
  page,
}) => {
  const size = { width: 1280, height: 800 };
  await page.setViewportSize(size);
  const check = async (one: Page) => {
    const found = await one.evaluate(findSmallTargets);
    if ((await one.locator(".table-region").count()) === 0) return found;
    found.push(...(await one.evaluate(findWideTables)));
    await one.setViewportSize({ width: 768, height: 1024 });
    found.push(...(await one.evaluate(findWideTables)));
    await one.setViewportSize(size);
    return found;
  };
  expect(await onAllPages(page, check)).toEqual([]);
});

/** The style of WCAG 1.4.12. */
const TEXT_SPACING =
  "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }";

/** Text that is cut off, lies over other text, or makes the page scroll sideways. */
function findBrokenText(): string[] {
  const found = new Set<string>();
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""} “${element.textContent.trim().slice(0, 40)}”`;
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) =>
        element.getBoundingClientRect().right > innerWidth + 1 && element.children.length === 0,
    );
    found.add(
      `${document.documentElement.scrollWidth} px wide: ${wide.slice(0, 3).map(name).join(", ")}`,
    );
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const lines: { element: Element; box: DOMRect }[] = [];
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const element = node.parentElement!;
    if (!node.textContent?.trim() || !element.checkVisibility({ visibilityProperty: true }))
      continue;
    if (
      element.closest(".sr-only, script, style, option, thead, [aria-hidden=true], svg, .skip-link")
    )
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 1) continue;
      let shown = true;
      for (
        let around: Element | null = element;
        around && around !== document.body;
        around = around.parentElement
      ) {
        const { overflowX, overflowY, position, textOverflow, webkitLineClamp } =
          getComputedStyle(around);
        const outer = around.getBoundingClientRect();
        const overX = box.right > outer.right + 1;
        const overY = box.bottom > outer.bottom + 4;
        const scrolls = /auto|scroll/;
        if ((scrolls.test(overflowX) && overX) || (scrolls.test(overflowY) && overY)) shown = false;
        const cut =
          (/hidden|clip/.test(overflowX) && overX) || (/hidden|clip/.test(overflowY) && overY);
        // What is shortened says so, and is there as a whole in its details.
        const isShortened = textOverflow === "ellipsis" || webkitLineClamp !== "none";
        if (cut && isShortened) shown = false;
        else if (cut && shown && outer.width > 1)
          found.add(`cut off by ${around.className}: ${name(element)}`);
        if (position === "fixed" || position === "sticky") break;
      }
      if (shown) lines.push({ element, box });
    }
  }
  // What is sticky is over something until the page is scrolled.
  const inFlow = lines.filter(({ element }) => {
    for (let around: Element | null = element; around; around = around.parentElement)
      if (["fixed", "sticky"].includes(getComputedStyle(around).position)) return false;
    return true;
  });
  for (const [index, one] of inFlow.entries())
    for (const other of inFlow.slice(index + 1, index + 40)) {
      if (
        one.element === other.element ||
        one.element.contains(other.element) ||
        other.element.contains(one.element)
      )
        continue;
      const x = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const y = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (x > 2 && y > Math.min(one.box.height, other.box.height) / 2)
        found.add(`${name(one.element)} over ${name(other.element)}`);
    }
  return [...found];
}

test("more space between letters and lines, or letters twice as large, break nothing at 320 px", async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const browser = await page.context().newCDPSession(page);
  /** Sets the size of text in the browser’s settings. */
  const setTextSize = (standard: number) =>
    browser.send("Page.setFontSizes", { fontSizes: { standard } });
  const problems = await onAllPages(page, async (one) => {
    await setTextSize(32);
    const width = await one.evaluate(() => document.documentElement.scrollWidth);
    await setTextSize(16);
    await one.evaluate((style) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      document.adoptedStyleSheets.push(sheet);
    }, TEXT_SPACING);
    const broken = await one.evaluate(findBrokenText);
    return width > 320 ? [`${width} px wide with large text`, ...broken] : broken;
  });
  expect(problems).toEqual([]);
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

test("a table whose rows are cards stays a table for screen readers", async ({ page }) => {
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
