/**
 * `npm test`: runs every check, four at a time, and ends with the sum: `N passed, N failed`.
 * `npm test -- routes e2e` runs only the named parts. The output of a part is shown when it fails.
 * `npm run test:nightly` also runs the parts and cases that are left to the night
 * (tests/support/nightly.ts). What needs the built app, or a browser, begins when scripts/prepare.mjs has made them;
 * the other parts don't wait for that.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const isNightly = process.argv.includes("--nightly");
if (isNightly) process.env["NIGHTLY"] = "1";
const root = fileURLToPath(new URL("..", import.meta.url));
const reports = mkdtempSync(join(tmpdir(), "test-reports-"));
// Two more than the cores of a small machine, because some steps mostly wait.
const STEPS_AT_ONCE = 4;
/** A step that prints nothing for this long hangs. The time that a step takes in all has no limit. */
const SILENCE_LIMIT_MS = 30 * 60_000;
const SLOWEST_FILES = 10;
const colors = process.stdout.isTTY
  ? { FORCE_COLOR: "1" }
  : { NO_COLOR: "1", FORCE_COLOR: undefined };
const workers = Math.max(1, Math.floor(availableParallelism() / STEPS_AT_ONCE));

/**
 * @typedef {{ passed: number, failed: number }} Count
 * @typedef {{ file: string, seconds: number }} FileTime
 * @typedef {object} Step
 * @property {string} name
 * @property {string} does what it checks, for the summary
 * @property {string[]} command a script, by its path from node_modules, and its arguments
 * @property {string[]} [nodeOptions]
 * @property {Record<string, string>} [env]
 * @property {(exitCode: number) => Count} count
 * @property {() => FileTime[]} [fileTimes] the time that each test file took
 * @property {boolean} [nightly] runs at night, or when it is named
 * @property {boolean} [needsApp] needs the built app, or a browser
 * @property {() => string[]} [missing] which programs tests were skipped for
 */

/** A tool that only succeeds or fails counts as one check. @returns {Count} */
const oneCheck = (/** @type {number} */ exitCode) =>
  exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

/** @returns {Step} */
function check(name, does, ...command) {
  return { name, does, command, count: oneCheck };
}

/** @param {string} [shard] a part of the files, such as "1/2" @returns {Step} */
function vitest(name, does, shard) {
  const label = shard ? `${name}-${shard.replace("/", "-of-")}` : name;
  const report = join(reports, `${label}.json`);
  const times = join(reports, `${label}-times.json`);
  return {
    name,
    does,
    command: [
      "vitest/vitest.mjs",
      "run",
      "--project",
      name,
      ...(shard ? [`--shard=${shard}`] : []),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      "--reporter=./tests/support/file-times.mjs",
    ],
    env: {
      FILE_TIMES: times,
      TEST_WORKERS: String(workers),
      // Most steps load most of the app: each module is transformed once for all.
      TEST_TRANSFORMS: join(reports, "transforms"),
    },
    count(exitCode) {
      const { numPassedTests: passed, numFailedTests, testResults } = readReport(report);
      const brokenFiles = testResults.filter(
        (file) => file.status === "failed" && file.assertionResults.length === 0,
      );
      const failed = numFailedTests + brokenFiles.length;
      // An error outside of any test is not in the counts.
      return { passed, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
    },
    fileTimes: () => readReport(times),
  };
}

/** @returns {Step} */
function playwright(name, does, { folder, only = [], env = {} } = {}) {
  const report = join(reports, `${name}.json`);
  return {
    name,
    does,
    command: [
      "playwright/cli.js",
      "test",
      ...(folder ? ["-c", folder, "--pass-with-no-tests", "--update-snapshots=none"] : []),
      ...only,
      // What failed comes last, where someone who has only the end of a log finds it.
      "--reporter=dot,json",
      `--output=test-results/${name}`,
    ],
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    needsApp: true,
    count(exitCode) {
      const { stats, errors } = readReport(report);
      const failed = stats.unexpected + stats.flaky + errors.length;
      return { passed: stats.expected, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
    },
    fileTimes: () =>
      readReport(report).suites.map((suite) => ({
        file: `${folder ?? "tests/e2e"}/${suite.file}`,
        seconds: durations(suite).reduce((sum, ms) => sum + ms, 0) / 1000,
      })),
    missing: () => [...new Set(readReport(report).suites.flatMap(missingPrograms))],
  };
}

/** The durations of all tests of a Playwright suite and of the suites in it, in ms. @returns {number[]} */
const durations = ({ specs = [], suites = [] }) => [
  ...specs.flatMap(({ tests }) =>
    tests.flatMap(({ results }) => results.map(({ duration }) => duration)),
  ),
  ...suites.flatMap(durations),
];

/** What the skipped tests of a Playwright suite miss on this machine. @returns {string[]} */
const missingPrograms = ({ specs = [], suites = [] }) => [
  ...specs
    .flatMap(({ tests }) => tests.flatMap(({ annotations }) => annotations))
    .map(({ description = "" }) => description)
    .filter((reason) => reason.includes("not installed")),
  ...suites.flatMap(missingPrograms),
];

const readReport = (/** @type {string} */ file) => JSON.parse(readFileSync(file, "utf8"));

// The longest steps first, so that no lane waits long for the other at the end.
const steps = [
  playwright("e2e", "journeys in a browser, with script and without", {
    env: isNightly ? {} : { JOURNEYS_EACH_RUN: "1" },
  }),
  vitest("routes", "loaders and actions over a real database", "1/2"),
  vitest("routes", "loaders and actions over a real database", "2/2"),
  vitest("faults", "failures of outside services"),
  vitest("database", "permissions and rules, straight at the data API"),
  { ...vitest("local", "the local start, and its stand-in for Supabase"), needsApp: true },
  { ...vitest("stripe-stand-in", "the stand-in for Stripe, against its SDK"), nightly: true },
  {
    ...check("code", "TypeScript and ESLint rules", "../scripts/check-code.mjs"),
    // Types are many small objects that live long: with the usual space for new ones, a fifth of the time
    // goes into copying them.
    nodeOptions: ["--max-semi-space-size=128"],
  },
  vitest("contract", "what holds for every route and file"),
  vitest("unit", "rules and other pieces alone"),
  {
    ...playwright("e2e-pglite", "the main journey without a database server", {
      only: ["listing", "--project=script-on", "--grep=newcomer"],
      env: { E2E_ENGINE: "pglite" },
    }),
    nightly: true,
  },
  playwright("visual", "how the pages look, against approved pictures", { folder: "tests/visual" }),
  check(
    "types-current",
    "database types match the migrations",
    "tsx/dist/cli.mjs",
    "scripts/generate-types.ts",
    "--check",
  ),
  {
    ...check("format", "Prettier layout", "prettier/bin/prettier.cjs", "--check", "."),
    nodeOptions: ["--max-semi-space-size=128"],
  },
  {
    ...check(
      "budgets",
      "sizes of the production build",
      "tsx/dist/cli.mjs",
      "scripts/check-budgets.ts",
    ),
    needsApp: true,
  },
];

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.on(signal, () => {
    for (const child of running) stop(child);
    process.exit(1);
  });
}

/** Ends a step with everything it started. @param {import("node:child_process").ChildProcess} child */
function stop(child) {
  try {
    if (child.pid) process.kill(-child.pid, "SIGTERM");
  } catch {
    // It had ended already.
  }
}

/**
 * Builds the app and finds a browser, once, where that is left to do: it takes one core half a minute, in which other
 * parts use the other one.
 * @type {Promise<boolean> | undefined}
 */
let prepared;
function prepareApp() {
  prepared ??= new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [join(root, "scripts", "prepare.mjs"), "--build", "--browser"],
      { cwd: root, stdio: ["ignore", "inherit", "inherit"], detached: true },
    );
    running.add(child);
    child.on("close", (code) => {
      running.delete(child);
      resolve(code === 0);
    });
  });
  return prepared;
}

/** @param {Step} step @returns {Promise<Count>} */
async function run(step) {
  if (step.needsApp && !(await prepareApp())) {
    console.log(`✘ ${step.name.padEnd(14)} was not run: there is no app, or no browser, for it`);
    return { passed: 0, failed: 1 };
  }
  const started = Date.now();
  const [script, ...args] = step.command;
  const path = join(root, "node_modules", script ?? "");
  const child = spawn(process.execPath, [...(step.nodeOptions ?? []), path, ...args], {
    cwd: root,
    env: { ...process.env, ...colors, ...step.env },
    stdio: ["ignore", "pipe", "pipe"],
    // In a process group of its own, so that stopping it stops what it started.
    detached: true,
  });
  running.add(child);
  let output = "";
  const silence = setTimeout(() => {
    output += `\nStopped after ${SILENCE_LIMIT_MS / 60_000} minutes without output.\n`;
    stop(child);
  }, SILENCE_LIMIT_MS);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      silence.refresh();
    });
  const exitCode = await new Promise((resolve) => child.on("close", (code) => resolve(code ?? 1)));
  clearTimeout(silence);
  running.delete(child);

  const count = readCount(step, exitCode);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const mark = count.failed > 0 ? "✘" : "✔";
  console.log(
    `${mark} ${step.name.padEnd(14)} ${seconds.padStart(6)} s  ${String(count.passed).padStart(4)} passed` +
      `${count.failed > 0 ? `, ${count.failed} failed` : ""}  (${step.does})`,
  );
  for (const reason of readMissing(step)) console.log(`  skipped there: ${reason}`);
  if (count.failed > 0) console.log(`\n${output.trim()}\n`);
  return count;
}

/** A step without a readable report has failed. @param {Step} step @param {number} exitCode */
function readCount(step, exitCode) {
  try {
    return step.count(exitCode);
  } catch {
    return { passed: 0, failed: 1 };
  }
}

/** @param {Step} step */
function readMissing(step) {
  try {
    return step.missing?.() ?? [];
  } catch {
    return [];
  }
}

/** @param {Step[]} finished @returns {FileTime[]} the slowest test files, slowest first */
function slowestFiles(finished) {
  const times = finished.flatMap((step) => {
    try {
      return step.fileTimes?.() ?? [];
    } catch {
      return [];
    }
  });
  return times.sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST_FILES);
}

const names = process.argv.slice(2).filter((name) => name !== "--nightly");
const unknown = names.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  const parts = steps.map((step) => step.name).join(", ");
  console.error(`There is no part called ${unknown.join(", ")}. Parts: ${parts}.`);
  process.exit(2);
}
const chosen = steps.filter((step) =>
  names.length === 0 ? isNightly || !step.nightly : names.includes(step.name),
);
const queue = [...chosen];

const total = { passed: 0, failed: 0 };
const started = Date.now();
async function lane() {
  for (let step = queue.shift(); step; step = queue.shift()) {
    const { passed, failed } = await run(step);
    total.passed += passed;
    total.failed += failed;
  }
}
await Promise.all(Array.from({ length: STEPS_AT_ONCE }, lane));

const slowest = slowestFiles(chosen);
if (slowest.length > 0) {
  console.log("\nSlowest test files:");
  for (const { file, seconds } of slowest)
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
}
rmSync(reports, { recursive: true, force: true });

console.log(`\nDone in ${((Date.now() - started) / 1000).toFixed(0)} s.`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
