/** What is built, and from which sources. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const STAMP = join("build", ".prepared");

/** The commands that a production install runs: the npm scripts that scripts/command.mjs runs. */
export function listCommands() {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  return Object.values(scripts).flatMap(
    (script) => /^node scripts\/command\.mjs ([\w-]+)$/.exec(script)?.[1] ?? [],
  );
}

const sources = () => [
  "app",
  "public",
  "vite.config.ts",
  "remix.config.js",
  "tsconfig.json",
  "package-lock.json",
  "scripts/build.mjs",
  "scripts/compress-files.mjs",
  "scripts/framework-for-browsers.ts",
  "scripts/list-migrations.mjs",
  "scripts/part-files.ts",
  "scripts/app-environment.mjs",
  "scripts/work",
  "scripts/doctor",
  "supabase/migrations",
  "local/running.mjs",
  ...listCommands().map((name) => `scripts/${name}.ts`),
];

/** Whether everything has been built, maybe from older sources. */
export function isBuilt() {
  return [
    "client",
    join("server", "index.js"),
    ...listCommands().map((name) => join("commands", `${name}.js`)),
  ].every((path) => existsSync(join("build", path)));
}

/** Whether what is built is from these sources. A deployment without the sources is always current. */
export function isBuildCurrent() {
  if (!existsSync("app")) return true;
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === hashOf(sources());
}

/**
 * Builds by `work`, and records from which sources.
 * @param {() => Promise<void>} work
 */
export async function recordBuild(work) {
  const key = hashOf(sources());
  rmSync(STAMP, { force: true });
  await work();
  writeFileSync(STAMP, key);
}

/**
 * A hash of files and folders, with their names.
 * @param {string[]} paths
 */
export function hashOf(paths) {
  const hash = createHash("sha256");
  /** @param {string} path */
  const add = (path) => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) add(join(path, name));
    } else {
      hash.update(`${path}\n`).update(readFileSync(path)).update("\n");
    }
  };
  for (const path of paths) add(path);
  return hash.digest("hex");
}

export const NOT_BUILT =
  "The dashboard isn't built yet. Run `npm ci --include=dev && npm run build`, and try again.";

/** Warns when the sources are newer than what is built. */
export function warnIfOutdated() {
  if (isBuildCurrent()) return;
  console.error("The build is older than the code beside it. `npm run build` updates it.");
}
