/**
 * Lighthouse on every page, as on a phone: the goals are 95 for performance, 100 for accessibility, and 100 for best
 * practices. `npm run bench:lighthouse`, or with parts of addresses: `npm run bench:lighthouse -- /login /admin/jobs`.
 *
 * It runs the built app (`npm run build`) with demo data. Lighthouse is no dependency, since it is large: npx fetches it.
 * Performance counts on an idle machine only. Each page is measured once, and twice more where it misses that goal; the
 * median counts. The whole reports go to the folder that LIGHTHOUSE_REPORTS names.
 */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { chromium } from "playwright";

import { findBrowser } from "../tests/support/browser";
import { freePort } from "../tests/support/free-port";
import { findOwned, signIn } from "../tests/support/full-tables";
import { adminPaths, ownerPaths, PUBLIC_PATHS } from "../tests/support/page-paths";
import { startApp, type RunningApp } from "../tests/support/running-app";

/** The last that runs on Node 20. */
const LIGHTHOUSE = "lighthouse@12.8.2";
const GOALS = { performance: 95, accessibility: 100, "best-practices": 100 };
const CATEGORIES = Object.keys(GOALS) as Category[];
const METRICS = [
  "first-contentful-paint",
  "largest-contentful-paint",
  "total-blocking-time",
  "cumulative-layout-shift",
  "speed-index",
];

type Category = keyof typeof GOALS;

interface Report {
  finalDisplayedUrl: string;
  runtimeError?: { message: string };
  categories: Record<Category, { score: number | null; auditRefs: { id: string }[] }>;
  audits: Record<string, { title: string; score: number | null; displayValue?: string }>;
}

const folder = process.env["LIGHTHOUSE_REPORTS"];
const only = process.argv.slice(2);

const scoreOf = (report: Report, category: Category) =>
  Math.round((report.categories[category].score ?? 0) * 100);

async function audit(url: string, port: number): Promise<Report> {
  const { stdout } = await promisify(execFile)(
    "npx",
    [
      "--yes",
      "--prefer-offline",
      LIGHTHOUSE,
      url,
      `--port=${port}`,
      `--only-categories=${CATEGORIES.join(",")}`,
      "--output=json",
      "--quiet",
      "--no-enable-error-reporting",
      "--disable-full-page-screenshot",
    ],
    { maxBuffer: 64 * 1_024 * 1_024 },
  );
  const report = JSON.parse(stdout) as Report;
  if (report.runtimeError) throw new Error(`${url}: ${report.runtimeError.message}`);
  // The page of someone who isn't signed in would pass for the page asked for.
  if (new URL(report.finalDisplayedUrl).pathname !== new URL(url).pathname)
    throw new Error(`${url} led to ${report.finalDisplayedUrl}`);
  return report;
}

/** Of three where performance misses its goal, the median. */
async function measure(url: string, port: number): Promise<Report> {
  const first = await audit(url, port);
  if (scoreOf(first, "performance") >= GOALS.performance) return first;
  const all = [first, await audit(url, port), await audit(url, port)];
  return all.toSorted((a, b) => scoreOf(a, "performance") - scoreOf(b, "performance"))[1]!;
}

/** What costs points, with the metrics where performance does. */
function listReasons(report: Report): string[] {
  const missed = CATEGORIES.filter((category) => scoreOf(report, category) < GOALS[category]);
  const ids = missed.flatMap((category) =>
    category === "performance"
      ? METRICS
      : report.categories[category].auditRefs.map(({ id }) => id),
  );
  return ids
    .map((id) => ({ id, ...report.audits[id]! }))
    .filter(({ id, score }) => METRICS.includes(id) || (score !== null && score < 1))
    .map(({ id, title, displayValue }) => `${id}: ${displayValue ?? title}`);
}

async function listPages(app: RunningApp) {
  const { owned, userId } = await findOwned(app);
  return [
    { email: null, paths: PUBLIC_PATHS },
    { email: "owner@demo.test", paths: [...ownerPaths(owned), "/invitation"] },
    {
      email: "admin@demo.test",
      paths: [
        ...adminPaths({ edited: owned.edited, user: userId }),
        "/admin/listings/export",
        "/admin/pending?edit=other",
      ],
    },
  ];
}

const app = await startApp();
const port = await freePort();
const { executablePath, args, env } = await findBrowser();
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: [...args, `--remote-debugging-port=${port}`],
  env: { ...process.env, ...env },
});
try {
  const cdp = await browser.newBrowserCDPSession();
  const lowest = { ...GOALS, performance: 100 };
  let measured = 0;
  if (folder) mkdirSync(folder, { recursive: true });
  console.log("performance  accessibility  best practices  page");
  for (const { email, paths } of await listPages(app)) {
    await cdp.send("Storage.clearCookies");
    const cookies = email === null ? [] : (await signIn(app, email)).split("; ");
    await cdp.send("Storage.setCookies", {
      cookies: cookies.map((cookie) => {
        const [name, value] = cookie.split(/=(.*)/s) as [string, string];
        return { name, value, url: app.url, httpOnly: true };
      }),
    });
    for (const path of paths) {
      if (only.length > 0 && !only.some((part) => path.includes(part))) continue;
      const report = await measure(`${app.url}${path}`, port);
      measured += 1;
      const name = `${path}${email === null ? "" : ` as ${email}`}`;
      const scores = CATEGORIES.map((category) => scoreOf(report, category));
      for (const category of CATEGORIES)
        lowest[category] = Math.min(lowest[category], scoreOf(report, category));
      console.log(
        [
          String(scores[0]).padStart(11),
          String(scores[1]).padStart(15),
          String(scores[2]).padStart(16),
          `  ${name}`,
        ].join(""),
      );
      for (const reason of listReasons(report)) console.log(`    ${reason}`);
      if (folder)
        writeFileSync(join(folder, `${name.replaceAll(/\W+/g, "-")}.json`), JSON.stringify(report));
    }
  }
  // Nothing measured is not everything met.
  if (measured === 0) throw new Error(`No page has ${only.join(" or ")} in its address.`);
  for (const category of CATEGORIES) {
    const met = lowest[category] >= GOALS[category];
    console.log(
      `${met ? "✔" : "✘"} ${category}: ${lowest[category]} or more; the goal is ${GOALS[category]}`,
    );
    if (!met) process.exitCode = 1;
  }
} finally {
  await browser.close();
  await app.stop();
}
