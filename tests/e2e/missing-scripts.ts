/**
 * Which journey loads which files of script. From a run with script, so that each file can be missing in a journey that
 * would load it.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { BrowserContext, TestInfo } from "playwright/test";

interface Loaded {
  /** The spec file. */
  file: string;
  title: string;
  duration: number;
  scripts: string[];
}

const root = new URL("../..", import.meta.url);
/** Where a run with script writes; set by scripts/journeys.mjs. */
const folder = process.env["JOURNEYS_SCRIPTS"];

/** The scripts that the pages of this browser load, from here on. */
export function recordScripts(context: BrowserContext): ReadonlySet<string> {
  const scripts = new Set<string>();
  if (folder)
    context.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/assets\/.*\.js$/.test(pathname)) scripts.add(basename(pathname));
    });
  return scripts;
}

/** Keeps what a journey loaded, for `eachMissingScript`. */
export function writeScripts(info: TestInfo, scripts: ReadonlySet<string>): void {
  if (!folder || info.status !== "passed") return;
  mkdirSync(folder, { recursive: true });
  const loaded: Loaded = {
    file: basename(info.file),
    title: info.title,
    duration: info.duration,
    scripts: [...scripts],
  };
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(loaded));
}

/**
 * Each file of the build that a recorded journey loads, with the shortest of these. Journeys that do something else where
 * script runs are not among them: what they would have to do depends on the page that the file belongs to.
 */
export function eachMissingScript(): { script: string; file: string; title: string }[] {
  if (!folder || !existsSync(folder)) return [];
  const journeys = readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Loaded)
    .sort((one, other) => one.duration - other.duration);
  return readdirSync(fileURLToPath(new URL("build/client/assets", root)))
    .filter((name) => name.endsWith(".js"))
    .flatMap((script) => {
      const shortest = journeys.find(({ scripts }) => scripts.includes(script));
      return shortest ? [{ script, file: shortest.file, title: shortest.title }] : [];
    });
}
