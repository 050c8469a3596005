/**
 * What opening pages takes on a slow phone: the full version, with nothing in the browser's cache and with all files in
 * it, and the light version. 400 kbit/s, 400 ms for a round trip, a quarter of this machine's CPU. `npm run bench:slow`.
 *
 * It runs the built app (`npm run build`) with demo data, and a browser for each page. A page "shows" with its first
 * contentful paint, and "works" when its forms and links do all they can: with script once React runs it, without once it
 * shows and the document has been read.
 */
import { chromium, type Browser, type CDPSession, type Page } from "playwright";

import { findBrowser } from "../tests/support/browser";
import { MARK_TAKEN_OVER, TAKEN_OVER } from "../tests/support/hydration";
import { startApp, type RunningApp } from "../tests/support/running-app";

const KBIT = 1_000 / 8;
const SLOW = { downloadThroughput: 400 * KBIT, uploadThroughput: 400 * KBIT, latency: 400 };
const CPU_SLOWDOWN = 4;
const PATHS = ["/login", "/listings", "/listings/new"];
const OWNER = { email: "owner@demo.test", password: "rainbow-demo-1" };

interface Measured {
  /** Bytes that arrived, with headers. */
  bytes: number;
  scriptBytes: number;
  requests: number;
  showsMs: number;
  worksMs: number;
}

/** Counts what arrives from here on. */
async function countArrivals(cdp: CDPSession) {
  const counts = { bytes: 0, scriptBytes: 0, requests: 0 };
  const scripts = new Set<string>();
  cdp.on("Network.responseReceived", ({ requestId, type, response }) => {
    if (type === "Script") scripts.add(requestId);
    if (!response.fromDiskCache && !response.fromPrefetchCache) counts.requests += 1;
  });
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    counts.bytes += encodedDataLength;
    if (scripts.has(requestId)) counts.scriptBytes += encodedDataLength;
  });
  await cdp.send("Network.enable");
  return counts;
}

async function measure(page: Page, url: string, light: boolean): Promise<Measured> {
  const cdp = await page.context().newCDPSession(page);
  const counts = await countArrivals(cdp);
  await cdp.send("Network.emulateNetworkConditions", { offline: false, ...SLOW });
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  if (!light) await page.addInitScript(MARK_TAKEN_OVER);
  await page.goto(url, { waitUntil: "load" });
  const marks = ["first-contentful-paint", ...(light ? [] : [TAKEN_OVER])];
  for (const mark of marks)
    await page.waitForFunction(`performance.getEntriesByName("${mark}").length`);
  const [showsMs, hydratedMs = 0] = await page.evaluate<number[]>(
    `${JSON.stringify(marks)}.map((mark) => performance.getEntriesByName(mark)[0].startTime)`,
  );
  const readMs = await page.evaluate<number>(
    `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`,
  );
  const measured = {
    ...counts,
    showsMs: showsMs!,
    worksMs: Math.max(hydratedMs, showsMs!, readMs),
  };
  await cdp.detach();
  return measured;
}

/** A browser of its own, with an empty cache, signed in and with its version chosen. */
async function openContext(browser: Browser, app: RunningApp, path: string, light: boolean) {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    // Playwright waits for a condition with eval.
    bypassCSP: true,
  });
  const post = (to: string, form: Record<string, string>) =>
    context.request.post(`${app.url}${to}`, {
      form,
      headers: { Origin: app.url },
      maxRedirects: 0,
    });
  if (light) await post("/version", { version: "light" });
  if (path !== "/login") await post("/login", OWNER);
  return context;
}

async function measureVersions(browser: Browser, app: RunningApp, path: string): Promise<void> {
  for (const light of [false, true]) {
    const context = await openContext(browser, app, path, light);
    for (const visit of ["first visit", "second visit"]) {
      const page = await context.newPage();
      const { bytes, scriptBytes, requests, showsMs, worksMs } = await measure(
        page,
        `${app.url}${path}`,
        light,
      );
      console.log(
        [
          path.padEnd(16),
          (light ? "light" : "full").padEnd(7),
          visit.padEnd(14),
          `${(bytes / 1_024).toFixed(1)} KB`.padStart(10),
          `${(scriptBytes / 1_024).toFixed(1)} KB`.padStart(12),
          String(requests).padStart(10),
          `${(showsMs / 1_000).toFixed(1)} s`.padStart(9),
          `${(worksMs / 1_000).toFixed(1)} s`.padStart(9),
        ].join(""),
      );
      await page.close();
    }
    await context.close();
  }
}

const app = await startApp();
const { executablePath, args, env } = await findBrowser();
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args,
  env: { ...process.env, ...env },
});
try {
  console.log(
    "page            version                    bytes   of script  requests    shows    works",
  );
  for (const path of PATHS) await measureVersions(browser, app, path);
} finally {
  await browser.close();
  await app.stop();
}
