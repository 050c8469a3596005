/**
 * Every page with the keyboard alone: Tab reaches all that can be pressed, once and in the order of the document, shows where
 * it is, and gets out of everything; Shift+Tab leads back. What keys do there is tried by the journeys.
 */
import { isNightly } from "../support/nightly";
import { DEMO_PAGES } from "./demo-pages";
import { expect, scripted, scriptRuns, signIn, test } from "./journey";

test.beforeEach(() => {
  test.skip(!scripted(), "The same pages have the same order without script.");
});

/** All that Tab should reach, in order. Of radio buttons with one name it reaches one. */
function findStops(): HTMLElement[] {
  const groups = new Map<string, HTMLElement>();
  const all = document.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [tabindex]",
  );
  return [...all].filter((element) => {
    if (element.matches(":disabled, [inert] *")) return false;
    // The button for Enter, and what only script moves the focus to. A field is never left out.
    if (element.matches("[tabindex='-1']:not(a, input, select, textarea, summary)")) return false;
    if (!element.checkVisibility({ visibilityProperty: true })) return false;
    if (!(element instanceof HTMLInputElement) || element.type !== "radio") return true;
    const group = `${[...document.forms].indexOf(element.form!)} ${element.name}`;
    const isFirst = !groups.has(group);
    groups.set(group, element);
    return isFirst;
  });
}

/** Where the focus is: the place among the stops (-1 for the page), a name, and whether someone can see it. */
function findFocus(stops: HTMLElement[]) {
  const { activeElement } = document;
  const element = activeElement as HTMLElement;
  if (activeElement === null || element === document.body || element === document.documentElement)
    return { place: -1, name: "the page", hidden: null, scrolls: false };
  const place = stops.findIndex(
    (stop) =>
      stop === element ||
      (stop instanceof HTMLInputElement &&
        element instanceof HTMLInputElement &&
        stop.type === "radio" &&
        element.type === "radio" &&
        stop.form === element.form &&
        stop.name === element.name),
  );
  const labels = [...((element as HTMLInputElement).labels ?? [])];
  // The answer about a phone number may have moved it out of the window since it got the focus.
  if (element.getBoundingClientRect().top >= innerHeight)
    element.scrollIntoView({ block: "nearest", behavior: "instant" });
  const box = element.getBoundingClientRect();
  const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)];
  const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
  // Whether a part of it, or of its label, is on the screen and under nothing else.
  const isOnTop = [0.1, 0.5, 0.9].some((x) =>
    [0.1, 0.5, 0.9].some((y) => {
      const there = document.elementFromPoint(left + x * (right - left), top + y * (bottom - top));
      return [element, ...labels].some(
        (one) => there !== null && (one.contains(there) || there.contains(one)),
      );
    }),
  );
  // The parts of a date are marked by the browser.
  const isDate = element.matches("[type=date]");
  const isMarked =
    isDate ||
    [element, ...labels, element.parentElement!].some((one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    });
  const text = element.getAttribute("aria-label") ?? (element.textContent.trim() || element.id);
  return {
    place,
    name: `${element.tagName.toLowerCase()} “${text.slice(0, 40)}”`,
    scrolls: element.scrollHeight > element.clientHeight,
    hidden: !isOnTop ? "covered" : !isMarked ? "not marked" : null,
  };
}

const nameAll = (stops: HTMLElement[], places: number[]): string =>
  places
    .map((place) => stops[place]!)
    .map((stop) => stop.getAttribute("aria-label") ?? (stop.id || stop.textContent.trim()))
    .join(", ");

/** The pages of this run: all at night. */
const choose = (paths: string[]) => paths.filter((_, place) => isNightly || place % 9 === 3);

const LARGE_SCREEN = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };
const SIZES = isNightly ? [LARGE_SCREEN, PHONE] : [LARGE_SCREEN];

for (const { whose, findPaths, email } of DEMO_PAGES)
  test(`Tab leads through every page ${whose} and back, and shows where it is`, async ({
    page,
    browserName,
  }) => {
    // Past the ends of a page it gives the focus to its own toolbar, which the keys of a test don't leave again.
    const staysInside = browserName === "firefox";
    if (email !== null) await signIn(page, email);
    const problems: string[] = [];
    const cases = choose(await findPaths()).flatMap((path) =>
      SIZES.map((size) => ({ path, size })),
    );
    for (const { path, size } of cases) {
      await page.setViewportSize(size);
      await page.goto(path);
      await scriptRuns(page);
      const where = `${path} at ${size.width} px`;
      const stops = await page.evaluateHandle(findStops);
      const count = await stops.evaluate((all) => all.length);
      expect(count, path).toBeGreaterThan(0);

      /** Presses a key until it has led around the page. @returns the places, without those in which it stayed */
      const walk = async (key: string): Promise<number[]> => {
        const places = staysInside && key === "Shift+Tab" ? [count - 1] : [];
        // Parts of a date are stops of their own.
        for (let pressed = 0; pressed < 4 * count + 10; pressed++) {
          await page.keyboard.press(key);
          const { place, name, hidden, scrolls } = await stops.evaluate(findFocus);
          if (hidden) problems.push(`${where}: ${name} has the focus and is ${hidden} (${key})`);
          if (place === places.at(-1)) continue;
          if (places.includes(place)) break;
          if (place >= 0) places.push(place);
          // Firefox stops at what scrolls, so that keys can scroll it.
          else if (scrolls) continue;
          else if (name !== "the page") problems.push(`${where}: ${name} has the focus`);
          else if (places.length > 0) break;
          if (staysInside && places.length === count) break;
        }
        return places;
      };
      const inOrder = [...Array(count).keys()];
      const there = await walk("Tab");
      const back = await walk("Shift+Tab");
      for (const [way, places] of [
        ["Tab", there],
        ["Shift+Tab", back.toReversed()],
      ] as const) {
        const missed = inOrder.filter((place) => !places.includes(place));
        if (missed.length > 0)
          problems.push(`${where}: ${way} misses ${await stops.evaluate(nameAll, missed)}`);
        else if (places.join() !== inOrder.join())
          problems.push(`${where}: ${way} goes ${places.join(" ")}`);
      }
    }
    expect(problems).toEqual([]);
  });
