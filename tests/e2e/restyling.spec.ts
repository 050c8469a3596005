/** How much of a page the browser styles again while React takes it over. It is counted in elements, not in time. */
import type { Page } from "playwright/test";

import { MARK_TAKEN_OVER, TAKEN_OVER } from "../support/hydration";

import { demo } from "./data-api";
import { expect, scripted, scriptRuns, signIn, test } from "./journey";

interface TraceEvent {
  name: string;
  ts: number;
  args: { elementCount?: number };
}

/** Of the elements of a page, how many are styled from when it has been read until React has taken it over: 2 is each one twice. */
async function countRestyled(page: Page, path: string): Promise<number> {
  const browser = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  browser.on("Tracing.dataCollected", ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  // As on a phone: the browser draws the page many times meanwhile.
  await browser.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await browser.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["devtools.timeline", "blink.user_timing"] },
  });
  await page.goto(path);
  await scriptRuns(page);
  await page.waitForFunction((mark) => performance.getEntriesByName(mark).length, TAKEN_OVER);
  const ended = new Promise((resolve) => browser.once("Tracing.tracingComplete", resolve));
  await browser.send("Tracing.end");
  await ended;
  await browser.detach();

  const times = (name: string) => events.filter((event) => event.name === name).map(({ ts }) => ts);
  const read = Math.max(...times("domContentLoadedEventEnd"));
  const takenOver = Math.max(...times(TAKEN_OVER));
  expect(takenOver, path).toBeGreaterThan(read);
  const restyled = events
    .filter(({ ts }) => ts > read && ts < takenOver)
    .reduce((sum, { args }) => sum + (args.elementCount ?? 0), 0);
  return restyled / (await page.locator("*").count());
}

// React sets the attributes of each field anew. Where `:has()` of an element near the root styles what is in it, or
// one of any element styles all that is in it, the browser then styles the page again for each.
test("the page isn't styled again for each field that React takes over", async ({
  page,
  browserName,
}) => {
  test.skip(!scripted() || browserName !== "chromium", "Only Chromium says what it styles.");
  await page.addInitScript(MARK_TAKEN_OVER);
  await signIn(page, demo.owner);
  const restyled: Record<string, number> = {};
  for (const path of ["/listings", "/listings/new", "/jobs/new"])
    restyled[path] = await countRestyled(page, path);
  const most = Math.max(...Object.values(restyled));
  expect(most, JSON.stringify(restyled)).toBeLessThan(2);
});
