import axe, { type RunOptions } from "axe-core";
import type { Page } from "playwright";

const EVERYTHING = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** A dark page differs from the light one in its colors only. */
const ABOUT_COLORS = ["color-contrast", "link-in-text-block"];
/** What WCAG 1.4.6 asks of text; 1.4.3, which axe checks by default, asks less. */
const AAA = { normal: { expected: 7 }, large: { expected: 4.5 } };

/**
 * Inspects the page as it is with axe, in these colors. In dark colors it applies the rules about
 * colors only.
 * @returns the violations as "rule: selector, selector"
 */
export async function findViolations(page: Page, colorScheme: "light" | "dark"): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  // Injecting axe takes as long as running it, so it happens once per document.
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(axe.source);
    await page.evaluate(removeDecoration);
  }
  const options: RunOptions & { checks: object } = {
    runOnly: colorScheme === "light" ? EVERYTHING : ABOUT_COLORS,
    // Describing what passed takes half of the time.
    resultTypes: ["violations"],
    preload: false,
    checks: { "color-contrast": { options: { ignorePseudo: true, contrastRatio: AAA } } },
  };
  return page.evaluate(async (given) => {
    // What is sticky is over something else until the page is scrolled, which axe does not do.
    const sticky = [...document.querySelectorAll<HTMLElement>("body *")].filter(
      (element) => getComputedStyle(element).position === "sticky",
    );
    for (const element of sticky) element.style.position = "static";
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(given);
    for (const element of sticky) element.style.position = "";
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => String(target)).join(", ")}`,
    );
  }, options);
}

/**
 * Runs in the page: removes what is drawn behind it, and leaves its background color. axe does not
 * decide on the contrast of text over a gradient or a pseudo-element.
 */
function removeDecoration() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("html, body { background-image: none !important }");
  document.adoptedStyleSheets.push(sheet);
}
