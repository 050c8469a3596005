import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

import { isNightly } from "./tests/support/nightly";

/** These end a test that hangs. No machine is slow enough to reach them otherwise. */
const HANGS_AFTER_MS = 15 * 60_000;
const CONDITION_HANGS_AFTER_MS = 2 * 60_000;
/** The app's own limit for a request, which the fault tests keep: a busy machine would reach it. */
const REQUEST_HANGS_AFTER_MS = 5 * 60_000;

/** Where most pages are rendered: with React's production build, except at night (tests/support/react-build.ts). */
const FAST_PAGES: Record<string, string> = isNightly ? {} : { TEST_REACT: "production" };

/** A project is one kind of test, run by name with `--project`. */
function project(
  name: string,
  include: string[],
  globalSetup: string[] = [],
  env: Record<string, string> = {},
) {
  // Files share a process, which saves a second and a half for each. tests/support/setup.ts ends with a
  // file what it put into the environment and into modules.
  return { extends: true as const, test: { name, include, globalSetup, env, isolate: false } };
}

/** A folder in which projects that run at once share the transformed modules (scripts/test.mjs). */
const transforms = process.env["TEST_TRANSFORMS"];

const POSTGRES = ["./tests/support/postgres-for-tests.ts"];

export default defineConfig({
  // As in vite.config.ts: pages name their images.
  build: { assetsInlineLimit: 0 },
  // As in the build: React's production build has no other way to create elements.
  esbuild: { jsxDev: false },
  resolve: { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } },
  test: {
    environment: "node",
    pool: "forks",
    // Requests and pages are many objects that soon are garbage: with more space for new ones, 7 % less CPU.
    execArgv: ["--max-semi-space-size=64"],
    // scripts/test.mjs runs several projects at once, and shares the cores among them.
    maxWorkers: Number(process.env["TEST_WORKERS"] ?? 2),
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    expect: { poll: { timeout: CONDITION_HANGS_AFTER_MS } },
    experimental: transforms ? { fsModuleCache: true, fsModuleCachePath: transforms } : {},
    setupFiles: ["./tests/support/setup.ts"],
    env: {
      NODE_ENV: "test",
      // A test that gets an unexpected 500 prints the reason, which only the log has.
      LOG_LEVEL: process.env["LOG_LEVEL"] ?? "error",
      // Hashing passwords slowly protects accounts; a thousand sign-ups would take a quarter of the
      // time of the route tests.
      LITE_AUTH_BCRYPT_COST: "4",
    },
    projects: [
      // Without the app and its database, which take seconds to begin: a test with `createWorld` is one of the routes.
      project("unit", ["tests/{modules,http,integrations,components,support}/**/*.test.{ts,tsx}"]),
      project("routes", ["tests/routes/**/*.test.{ts,tsx}"], POSTGRES, {
        TEST_REQUEST_LIMIT_MS: String(REQUEST_HANGS_AFTER_MS),
        ...FAST_PAGES,
      }),
      project("contract", ["tests/contract/**/*.test.{ts,tsx}"], POSTGRES),
      project("database", ["tests/database/**/*.test.ts"], POSTGRES),
      project("local", ["tests/local/**/*.test.ts"]),
      project("stripe-stand-in", ["tests/stripe-stand-in/**/*.test.ts"]),
      project("faults", ["tests/faults/**/*.test.{ts,tsx}"], POSTGRES, FAST_PAGES),
    ],
  },
});
