/**
 * `npm test`: every check there is, two at a time, with the sum as the last line: `N passed, N failed`.
 * `npm test -- routes e2e` runs only the parts named. What a part says is shown when it fails.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = mkdtempSync(join(tmpdir(), "test-reports-"));
const AT_ONCE = 2;
const STEP_LIMIT_MS = 8 * 60_000;
const colours = process.stdout.isTTY
  ? { FORCE_COLOR: "1" }
  : { NO_COLOR: "1", FORCE_COLOR: undefined };
const workers = Math.max(1, Math.floor(availableParallelism() / AT_ONCE));

/**
 * @typedef {{ passed: number, failed: number }} Count
 * @typedef {object} Step
 * @property {string} name what to call it
 * @property {string} [part] what to call it on the command line, when it is only a share of that part
 * @property {string} does
 * @property {string[]} command a script of node_modules and its arguments
 * @property {Record<string, string>} [env]
 * @property {(exitCode: number) => Count} count
 */

/** A tool that only says yes or no counts as one check. @returns {Count} */
const yesOrNo = (/** @type {number} */ exitCode) =>
  exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

/** @returns {Step} */
function check(name, does, ...command) {
  return { name, does, command, count: yesOrNo };
}

/**
 * @param {string} [share] "1/2" for the first half of the files; so no step runs into its limit on a busy machine
 * @returns {Step}
 */
function vitest(part, does, share) {
  const name = nameOf(part, share);
  const report = join(reports, `${name}.json`);
  return {
    name,
    part,
    does,
    command: [
      "vitest/vitest.mjs",
      "run",
      "--project",
      part,
      `--maxWorkers=${workers}`,
      ...(share ? [`--shard=${share}`] : []),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    count(exitCode) {
      const { numPassedTests: passed, numFailedTests, testResults } = readReport(report);
      const brokenFiles = testResults.filter(
        (file) => file.status === "failed" && file.assertionResults.length === 0,
      );
      const failed = numFailedTests + brokenFiles.length;
      // An error outside of any test leaves no trace in the counts.
      return { passed, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
    },
  };
}

/** @returns {Step} */
function playwright(part, does, { only = [], env = {}, share = undefined } = {}) {
  const name = nameOf(part, share);
  const report = join(reports, `${name}.json`);
  return {
    name,
    part,
    does,
    command: [
      "playwright/cli.js",
      "test",
      ...only,
      ...(share ? [`--shard=${share}`] : []),
      "--reporter=line,json",
      `--output=test-results/${name}`,
    ],
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    count(exitCode) {
      const { stats, errors } = readReport(report);
      const failed = stats.unexpected + stats.flaky + errors.length;
      return { passed: stats.expected, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
    },
  };
}

const nameOf = (/** @type {string} */ part, /** @type {string | undefined} */ share) =>
  share ? `${part}-${share[0]}` : part;

const readReport = (/** @type {string} */ file) => JSON.parse(readFileSync(file, "utf8"));

// The longest first, so that neither lane waits for the other at the end.
const steps = [
  playwright("e2e", "journeys in a browser, with script and without", { share: "1/2" }),
  playwright("e2e", "journeys in a browser, with script and without", { share: "2/2" }),
  vitest("database", "permissions and rules, straight at the data API"),
  playwright("e2e-postgres", "the main journey over a real Postgres", {
    only: ["listing"],
    env: { E2E_ENGINE: "postgres" },
  }),
  vitest("local", "the stand-in for the outside"),
  vitest("routes", "loaders and actions over a real database", "1/2"),
  vitest("routes", "loaders and actions over a real database", "2/2"),
  vitest("contract", "what holds for every route and file"),
  vitest("faults", "the outside fails"),
  vitest("unit", "rules and pieces by themselves"),
  check("lint", "house rules", "eslint/bin/eslint.js", ".", "--max-warnings", "0"),
  check("format", "one layout of code", "prettier/bin/prettier.cjs", "--check", "."),
  check("types", "TypeScript", "typescript/bin/tsc", "--noEmit"),
  check(
    "types-current",
    "database types match the migrations",
    "tsx/dist/cli.mjs",
    "scripts/generate-types.ts",
    "--check",
  ),
  check("budgets", "sizes of the production build", "tsx/dist/cli.mjs", "scripts/check-budgets.ts"),
];

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.on(signal, () => {
    for (const child of running) stop(child);
    process.exit(1);
  });
}

/** Ends a step with all that it started. @param {import("node:child_process").ChildProcess} child */
function stop(child) {
  try {
    if (child.pid) process.kill(-child.pid, "SIGTERM");
  } catch {
    // It had ended by itself.
  }
}

/** @param {Step} step @returns {Promise<Count>} */
async function run(step) {
  const started = Date.now();
  const [script, ...args] = step.command;
  const child = spawn(process.execPath, [join(root, "node_modules", script ?? ""), ...args], {
    cwd: root,
    env: { ...process.env, ...colours, ...step.env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that stopping it stops what it started.
    detached: true,
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  const limit = setTimeout(() => {
    output += `\nStopped after ${STEP_LIMIT_MS / 60_000} minutes.\n`;
    stop(child);
  }, STEP_LIMIT_MS);
  const exitCode = await new Promise((resolve) => child.on("close", (code) => resolve(code ?? 1)));
  clearTimeout(limit);
  running.delete(child);

  const count = countOf(step, exitCode);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const mark = count.failed > 0 ? "✘" : "✔";
  console.log(
    `${mark} ${step.name.padEnd(14)} ${seconds.padStart(6)} s  ${String(count.passed).padStart(4)} passed` +
      `${count.failed > 0 ? `, ${count.failed} failed` : ""}  (${step.does})`,
  );
  if (count.failed > 0) console.log(`\n${output.trim()}\n`);
  return count;
}

/** A runner that left no readable report has failed, whatever it said. @param {Step} step @param {number} exitCode */
function countOf(step, exitCode) {
  try {
    return step.count(exitCode);
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const names = process.argv.slice(2);
const partOf = (/** @type {Step} */ { part, name }) => part ?? name;
const parts = [...new Set(steps.map(partOf))];
const unknown = names.filter((name) => !parts.includes(name));
if (unknown.length > 0) {
  console.error(`There is no part called ${unknown.join(", ")}. Parts: ${parts.join(", ")}.`);
  process.exit(2);
}
const queue = steps.filter((step) => names.length === 0 || names.includes(partOf(step)));

const total = { passed: 0, failed: 0 };
const started = Date.now();
async function lane() {
  for (let step = queue.shift(); step; step = queue.shift()) {
    const { passed, failed } = await run(step);
    total.passed += passed;
    total.failed += failed;
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, lane));
rmSync(reports, { recursive: true, force: true });

console.log(`\nDone in ${((Date.now() - started) / 1000).toFixed(0)} s.`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
