/**
 * Every page, full of demo data: what axe finds, the size of its targets, and what larger text does to it. A page is
 * opened once for all of that, a third of the pages in each run. What only a journey leads to, a rejected form for one, is checked by that journey.
 */
import type { Page } from "playwright/test";

import { everyThird } from "../support/nightly";
import { DEMO_PAGES } from "./demo-pages";
import { checkPage, expect, scripted, signIn, test } from "./journey";

test.beforeEach(() => {
  test.skip(!scripted(), "The same pages look the same without script.");
});

const PHONE = { width: 360, height: 740 };
const SMALL_PHONE = { width: 320, height: 640 };
/** Where each layout begins, and so has the least room: of tables, of the sidebar, and of tables with wide gaps. */
const TIGHTEST_WIDTHS = [704, 1024, 1280];
const LARGE_SCREEN = { width: 1280, height: 800 };

for (const { whose, findPaths, email, third } of DEMO_PAGES)
  test(`every page ${whose} has large targets, room for larger text, and nothing that axe finds`, async ({
    page,
    browserName,
  }) => {
    if (email !== null) await signIn(page, email);
    const browser =
      browserName === "chromium" ? await page.context().newCDPSession(page) : undefined;
    /** Sets the size of text in the browser’s settings, which only Chromium lets a test do. */
    const setTextSize = (standard: number) =>
      browser?.send("Page.setFontSizes", { fontSizes: { standard } });
    // Whether a table fits depends on the font, which is the machine's in other browsers.
    const whole = browser ? "html, .night, .table-region" : "html, .night";
    const problems: string[] = [];
    for (const path of everyThird(await findPaths(), third)) {
      const note = (found: string[], where: string) =>
        problems.push(...found.map((problem) => `${path} ${where}: ${problem}`));
      await page.setViewportSize(LARGE_SCREEN);
      await page.goto(path);
      await checkPage(page, path);

      await openAllDetails(page);
      await page.evaluate(widenTimes);
      await page.evaluate(addStyle, WIDEST_FONT);
      for (const width of TIGHTEST_WIDTHS) {
        await page.setViewportSize({ ...LARGE_SCREEN, width });
        note(await page.evaluate(findCutParts, whole), `at ${width} px`);
      }
      await page.evaluate(() => (document.adoptedStyleSheets = []));
      await page.setViewportSize(LARGE_SCREEN);
      note(await page.evaluate(findSmallTargets, 24), "on a large screen");
      await page.setViewportSize(PHONE);
      note(await page.evaluate(findSmallTargets, 44), "on a phone");

      await page.setViewportSize(SMALL_PHONE);
      await setTextSize(32);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > SMALL_PHONE.width) note([`${width} px wide`], "with letters twice as large");
      note(await page.evaluate(findCutText), "with letters twice as large");
      await setTextSize(16);
      await page.evaluate(addStyle, TEXT_SPACING);
      note(await page.evaluate(findBrokenText), "with more space between letters and lines");
    }
    expect(problems).toEqual([]);
  });

/** Wide letters, as those of DejaVu Sans, whatever the fonts of this machine are. */
const WIDEST_FONT = ":root { font-size-adjust: ch-width 0.6 }";

function addStyle(style: string) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
}

/** Opens everything in a page that opens, but for menus. */
const openAllDetails = (page: Page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>("main details")) {
      details.removeAttribute("name");
      if (!details.matches("[data-menu]")) details.open = true;
    }
  });

/** Gives each date and time the widest month, and two digits for the day and the hour, whatever the day of the run is. */
function widenTimes() {
  for (const time of document.querySelectorAll("main time"))
    for (const text of time.childNodes)
      if (text.nodeType === Node.TEXT_NODE)
        text.textContent = text
          .textContent!.replace(/\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/g, "May")
          .replace(/(?<!\d)\d(?=[\s,:])/g, "10");
}

/**
 * Links, buttons, and fields that are narrower than 24 px, or less tall than this. A link among words may be less tall,
 * except in cells, where it has 24 px.
 */
function findSmallTargets(minHeight: number): string[] {
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
    if (
      width === 0 ||
      (width >= 24 && height >= minHeight - 0.5) ||
      element.matches(".skip-link, .sr-only")
    )
      continue;
    // What it is in is its target.
    if (
      [element, label].some(
        (one) => one && getComputedStyle(one, "::after").position === "absolute",
      )
    )
      continue;
    // Within a line of other text.
    const block = element.closest("p, li, dd, td, th, h1, h2, h3, div");
    const isInline = getComputedStyle(element).display === "inline";
    const others = (block?.textContent ?? "").replace(element.textContent, "").trim();
    const mayBeLow = block?.matches("p, li, dd") || (width >= 24 && height >= 24);
    if (isInline && mayBeLow && /\p{L}{2}/u.test(others)) continue;
    found.add(
      `${element.tagName.toLowerCase()} “${(element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 40)}” ${Math.round(width)}×${Math.round(height)} in ${element.parentElement?.className || element.parentElement?.tagName}`,
    );
  }
  return [...found];
}

/** What has too little room: a page or table that scrolls sideways, an offer that is cut off, and words in pieces. */
function findCutParts(whole: string): string[] {
  const found = [...document.querySelectorAll(whole)]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((part) => `${part.className} needs ${part.scrollWidth} px of ${part.clientWidth}`);
  const texts = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement, textContent } = texts.currentNode;
    if (parentElement!.closest(".sr-only, thead")) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const lines = range.getClientRects().length;
    const words = textContent!.trim().split(/\s+/);
    if (lines > 2 * words.length) found.push(`“${words.join(" ")}” is in ${lines} lines`);
    // A word of a length that has room; between words are spaces, and signs at which a line may end.
    for (const { 0: word, index } of textContent!.matchAll(
      /(?<![^\s(“])\p{L}{4,12}(?![^\s,.;)”])/gu,
    )) {
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
      if (new Set(tops).size > 1) found.push(`“${word}” is in pieces`);
    }
  }
  return found;
}

/** Text that is cut off at the edge of what it is in, which does not make the page wider. */
function findCutText(): string[] {
  const found = new Set<string>();
  const texts = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement!;
    if (
      !element.checkVisibility({ visibilityProperty: true }) ||
      element.closest(".sr-only, option")
    )
      continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const { left, right, width } = range.getBoundingClientRect();
    if (width < 1) continue;
    for (let around: Element | null = element; around; around = around.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(around);
      const edge = around.getBoundingClientRect();
      // What scrolls, and what is shortened with three dots, is there as a whole.
      if (/auto|scroll/.test(overflowX) || textOverflow === "ellipsis" || edge.width <= 1) break;
      if (/hidden|clip/.test(overflowX) && (right > edge.right + 1 || left < edge.left - 1))
        found.add(`cut off by ${around.className}: “${element.textContent.trim().slice(0, 40)}”`);
    }
  }
  return [...found];
}

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
