/**
 * Measures what the production build sends to a browser, page by page, and fails when a page is
 * over its budget. The sizes are those on the wire: of the bodies that the app answers with to a browser that
 * accepts gzip, and for scripts also to one that accepts Brotli, as all do over HTTPS. The demo's own line, which no
 * page of a real directory has, is left out.
 */
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";

import {
  createDecisionBatch,
  dataApi,
  fillJobs,
  fillReviewQueue,
  ROWS_OF_A_FULL_TABLE,
  signIn,
} from "../tests/support/full-tables";
import { startApp, type RunningApp } from "../tests/support/running-app";
import { projectFolder } from "../local/project-folder";

// Chosen for owners with old phones and slow connections.
const KB = 1_024;
const SCRIPT_BYTES = { gzip: 92 * KB, br: 82 * KB };
/** Each file takes a place in a queue, and is compressed on its own. */
const SCRIPT_FILES = 14;
/**
 * All parts that no page needs at first, together: what a dialog, an offer, or a rejected form
 * loads.
 */
const ON_DEMAND_BYTES = 8 * KB;
const STYLE_BYTES = 14 * KB;
const HTML_BYTES = {
  "owner page": 8 * KB,
  "listing form": 14 * KB,
  "admin table": 20 * KB,
  // 250 rows with what each edit changed.
  "full queue": 25 * KB,
};
const FORM_ID = "?draft=5eed0000-0000-4000-9000-000000000000";
const MAX_TRIES = 6;

interface PageToMeasure {
  path: string;
  as: "anonymous" | "owner" | "newcomer" | "admin";
  kind: keyof typeof HTML_BYTES;
}

const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync };
type Coding = keyof typeof DECODERS;
/** The files that were requested, by coding and path. */
const files = new Map<string, Promise<Received>>();

const app = await startApp();
try {
  process.exitCode = (await measureAll(app)) ? 0 : 1;
} finally {
  await app.stop();
}

async function measureAll(app: RunningApp): Promise<boolean> {
  const owner = await dataApi(app, "owner@demo.test");
  const [listing] = (await owner(`places?select=id&owner=eq.${owner.userId}&limit=1`)) as {
    id: number;
  }[];
  const [featured] = (await owner(
    `places?select=id&owner=eq.${owner.userId}&premium=is.true&limit=1`,
  )) as { id: number }[];
  const [job] = (await owner(`jobs?select=id&owner=eq.${owner.userId}&limit=1`)) as {
    id: number;
  }[];
  const [sponsorship] = (await owner(
    `sponsorships?select=id&owner=eq.${owner.userId}&paid=is.false&limit=1`,
  )) as { id: number }[];
  const [lead] = (await owner("leads?select=id&limit=1")) as { id: number }[];
  await fillReviewQueue(app);
  await fillJobs(app);
  const pages: PageToMeasure[] = [
    { path: "/login", as: "anonymous", kind: "owner page" },
    { path: "/signup", as: "anonymous", kind: "owner page" },
    { path: "/recovery", as: "anonymous", kind: "owner page" },
    { path: "/listings", as: "owner", kind: "owner page" },
    { path: "/", as: "owner", kind: "owner page" },
    { path: "/privacy", as: "owner", kind: "owner page" },
    { path: "/privacy/delete", as: "owner", kind: "owner page" },
    { path: "/account", as: "owner", kind: "owner page" },
    { path: "/account/notices", as: "owner", kind: "owner page" },
    { path: "/account/two-step", as: "owner", kind: "owner page" },
    { path: "/leads", as: "owner", kind: "owner page" },
    { path: `/leads/${lead!.id}`, as: "owner", kind: "owner page" },
    { path: "/upgrade", as: "anonymous", kind: "owner page" },
    { path: "/upgrade", as: "owner", kind: "owner page" },
    { path: `/listings/${featured!.id}/billing`, as: "owner", kind: "owner page" },
    { path: "/sponsor", as: "owner", kind: "owner page" },
    { path: `/sponsor/new${FORM_ID}`, as: "owner", kind: "owner page" },
    { path: `/sponsor/${sponsorship!.id}`, as: "owner", kind: "owner page" },
    { path: "/jobs", as: "newcomer", kind: "owner page" },
    { path: `/jobs/${job!.id}/status`, as: "owner", kind: "owner page" },
    { path: `/jobs/${job!.id}/preview`, as: "owner", kind: "owner page" },
    { path: `/jobs/new${FORM_ID}`, as: "owner", kind: "listing form" },
    { path: `/jobs/${job!.id}`, as: "owner", kind: "listing form" },
    { path: `/listings/new${FORM_ID}`, as: "owner", kind: "listing form" },
    { path: `/listings/${listing!.id}`, as: "owner", kind: "listing form" },
    { path: `/listings/${listing!.id}/managers`, as: "owner", kind: "owner page" },
    { path: "/invitation", as: "owner", kind: "owner page" },
    { path: "/admin", as: "admin", kind: "owner page" },
    { path: `/admin/listings/${listing!.id}`, as: "admin", kind: "owner page" },
    { path: "/admin/newsletter-dates", as: "admin", kind: "owner page" },
    { path: "/admin/jobs", as: "admin", kind: "admin table" },
    { path: "/admin/users", as: "admin", kind: "admin table" },
    { path: `/admin/users/${owner.userId}`, as: "admin", kind: "admin table" },
    { path: `/admin/users/${owner.userId}/delete`, as: "admin", kind: "owner page" },
    { path: "/admin/users/export", as: "admin", kind: "owner page" },
    { path: "/admin/feedback", as: "admin", kind: "admin table" },
    { path: "/admin/reports", as: "admin", kind: "admin table" },
    { path: "/admin/audit", as: "admin", kind: "admin table" },
    { path: "/admin/two-step", as: "admin", kind: "owner page" },
    { path: "/admin/new?rows=250", as: "admin", kind: "full queue" },
    { path: "/admin/listings?state=MN&complete=yes", as: "admin", kind: "admin table" },
    { path: "/admin/pending?rows=250", as: "admin", kind: "full queue" },
    { path: "/admin/pending", as: "admin", kind: "admin table" },
    { path: `/admin/listings/${listing!.id}/details`, as: "admin", kind: "owner page" },
  ];
  const batch = await createDecisionBatch(app);
  pages.push({
    path: `/admin/decisions/${batch}?action=approve&view=new`,
    as: "admin",
    kind: "admin table",
  });
  const cookies = {
    anonymous: "",
    owner: await signIn(app, "owner@demo.test"),
    newcomer: await signIn(app, "newcomer@demo.test"),
    admin: await signIn(app, "admin@demo.test"),
  };

  const problems: string[] = [];
  console.log(row(["page", "HTML", "of", "script", "of", "Brotli", "of", "style", "of"]));
  for (const { path, as, kind } of pages) {
    const { status, bytes, text } = await getPage(app, path, cookies[as]);
    if (status !== 200) problems.push(`${path} answered ${status}`);
    const scripts = await scriptsOf(app, text);
    const script = await sizeOf(app, scripts, "gzip");
    const brotli = await sizeOf(app, scripts, "br");
    const style = await sizeOf(app, assetsIn(text, "css"), "gzip");
    const html = HTML_BYTES[kind];
    const sizes = [
      ["of HTML", bytes - demoBytesIn(text), html],
      ["of script", script, SCRIPT_BYTES.gzip],
      ["of script with Brotli", brotli, SCRIPT_BYTES.br],
      ["of style", style, STYLE_BYTES],
    ] as const;
    console.log(row([path, ...sizes.flatMap(([, size, most]) => [size, most])]));
    for (const [of, size, most] of sizes)
      if (size > most) problems.push(`${path}: ${size} bytes ${of}, ${most} at most (${kind})`);
    if (scripts.size > SCRIPT_FILES)
      problems.push(`${path} loads ${scripts.size} scripts, ${SCRIPT_FILES} at most`);
    for (const url of externalUrlsIn(text)) problems.push(`${path} loads ${url} from elsewhere`);
    const rows = text.split("<tr").length - 2;
    if (kind === "full queue" && rows !== ROWS_OF_A_FULL_TABLE)
      problems.push(`${path} shows ${rows} rows, not ${ROWS_OF_A_FULL_TABLE}`);
  }
  const onDemand = await findOnDemandScripts(app);
  const bytes = await sizeOf(app, onDemand, "gzip");
  console.log(row([`${onDemand.length} parts on demand`, "", "", bytes, ON_DEMAND_BYTES]));
  if (bytes > ON_DEMAND_BYTES)
    problems.push(`Parts on demand: ${bytes} bytes of script, ${ON_DEMAND_BYTES} at most`);
  for (const problem of problems) console.error(`✘ ${problem}`);
  console.log(problems.length === 0 ? "Every page is within its budget." : "Over budget.");
  return problems.length === 0;
}

function row([page, ...cells]: (string | number)[]) {
  const name = String(page).replace(/[0-9a-f-]{36}/, "…");
  return name.padEnd(24) + cells.map((cell) => cell.toLocaleString("en").padStart(9)).join("");
}

interface Received {
  status: number;
  /** On the wire. */
  bytes: number;
  text: string;
}

/** How many bytes of a compressed page only the demo has: the line with the link to its mailbox. */
function demoBytesIn(html: string): number {
  const real = html
    .replace(/<aside class="demo-banner".*?<\/aside> /, "")
    .replace(/\\"http:[^"]*\/mailbox\\"/, "null");
  return gzipSync(html).byteLength - gzipSync(real).byteLength;
}

/** Requests a page or a file, as a browser that accepts this coding. */
function get(
  app: RunningApp,
  path: string,
  cookie: string,
  coding: Coding = "gzip",
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const headers = { "Accept-Encoding": coding, Accept: "text/html", Cookie: cookie };
    request(new URL(path, app.url), { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const raw = Buffer.concat(chunks);
        const compressed = response.headers["content-encoding"] === coding;
        resolve({
          status: response.statusCode ?? 0,
          bytes: raw.byteLength,
          text: (compressed ? DECODERS[coding](raw) : raw).toString(),
        });
      });
    })
      .on("error", reject)
      .end();
  });
}

/**
 * Requests a page, a few times if need be: on a busy machine the app may reach its own time limit for a
 * request, which says nothing about the page's size.
 */
async function getPage(app: RunningApp, path: string, cookie: string): Promise<Received> {
  for (let tries = 1; ; tries += 1) {
    const page = await get(app, path, cookie);
    if (page.status !== 503 || tries === MAX_TRIES) return page;
    await sleep(tries * 1_000);
  }
}

/** A file of the build, which is requested once. */
function getFile(app: RunningApp, path: string, coding: Coding): Promise<Received> {
  const key = `${coding} ${path}`;
  const file = files.get(key) ?? get(app, path, "", coding);
  files.set(key, file);
  return file;
}

function assetsIn(html: string, extension: "js" | "css"): Set<string> {
  return new Set(html.match(new RegExp(`/assets/[\\w.~-]+\\.${extension}`, "g")));
}

/** Every script that a document loads: those it names, and those they import. */
async function scriptsOf(app: RunningApp, html: string): Promise<Set<string>> {
  const scripts = assetsIn(html, "js");
  // The loop also visits the files that are added to the set meanwhile.
  for (const path of scripts) {
    const { text } = await getFile(app, path, "gzip");
    if (path.includes("/manifest-")) continue;
    for (const [, imported] of text.matchAll(/(?:from|import)\s*"(\.\.?\/[^"]+)"/g)) {
      scripts.add(join(dirname(path), imported!));
    }
  }
  return scripts;
}

/** The scripts that no page of the list of all routes loads by itself: code asks for them when it is used. */
async function findOnDemandScripts(app: RunningApp): Promise<string[]> {
  const names = await readdir(join(projectFolder, "build/client/assets"));
  const scripts = names.filter((name) => name.endsWith(".js")).map((name) => `/assets/${name}`);
  const manifest = scripts.find((path) => path.includes("/manifest-"))!;
  const pages = await scriptsOf(app, (await getFile(app, manifest, "gzip")).text);
  return scripts.filter((path) => path !== manifest && !pages.has(path));
}

async function sizeOf(app: RunningApp, paths: Iterable<string>, coding: Coding): Promise<number> {
  let bytes = 0;
  for (const path of paths) bytes += (await getFile(app, path, coding)).bytes;
  return bytes;
}

function externalUrlsIn(html: string): string[] {
  const loading =
    /<(?:script|img|iframe|source|video|audio|link)\b[^>]*?\b(?:src|href)="((?:https?:)?\/\/[^"]*)"/g;
  return [...html.matchAll(loading)].map(([, url]) => url!);
}
