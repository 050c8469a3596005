/**
 * `npm run journeys`: the journeys of `tests/e2e` in every way in which script can reach a browser, one way after the
 * other. `npm run journeys -- --way late` runs one way, and `--engine firefox` runs them in an installed Firefox; what
 * follows goes to Playwright: `npm run journeys -- --way light jobs`. `--engine webkit` runs those of `tests/webkit`, which
 * Playwright can't drive itself, in an installed WebKitGTK. It takes more than an hour, so it is a nightly job and
 * not part of `npm test`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** tests/e2e/ways.ts says what they are. */
const WAYS = ["on", "off", "blocked", "late", "light", "missing", "translated"];

const ENGINES = ["chromium", "firefox", "webkit"];

const args = process.argv.slice(2);

/** Takes an option with one of these values out of the arguments. */
function takeOption(name, values) {
  const at = args.indexOf(name);
  if (at < 0) return undefined;
  const [, value = ""] = args.splice(at, 2);
  if (values.includes(value)) return value;
  console.error(`${name}: ${values.join(", ")}.`);
  process.exit(2);
}

const only = takeOption("--way", WAYS);
const engine = takeOption("--engine", ENGINES) ?? "chromium";

// Which files a journey loads is known after it ran with script.
const scripts = mkdtempSync(join(tmpdir(), "journeys-"));
const failed = [];
for (const way of only === "missing" ? ["on", "missing"] : only ? [only] : WAYS) {
  console.log(`\nScript ${way}`);
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/playwright/cli.js"),
      "test",
      ...(engine === "webkit" ? ["--config=tests/webkit"] : []),
      ...args,
      `--output=test-results/journeys-${way}`,
      "--pass-with-no-tests",
    ],
    {
      cwd: root,
      stdio: "inherit",
      env: {
        ...process.env,
        JOURNEYS_ENGINE: engine,
        JOURNEYS_WAY: way,
        JOURNEYS_SCRIPTS: scripts,
      },
    },
  );
  if (status !== 0) failed.push(way);
}
rmSync(scripts, { recursive: true, force: true });
console.log(failed.length === 0 ? "\nEvery way passed." : `\nFailed: ${failed.join(", ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
