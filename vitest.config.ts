import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/**
 * A project is one kind of test: its own folder, its own patience, run by name with `--project`. The
 * patience is that of a busy machine; on a quiet one no test needs a tenth of it.
 */
function project(name: string, include: string[], options: { testTimeout?: number } = {}) {
  return {
    extends: true as const,
    test: { name, include, testTimeout: options.testTimeout ?? 15_000 },
  };
}

export default defineConfig({
  resolve: { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } },
  test: {
    environment: "node",
    // A process for each file: what a file puts into process.env and into module scope ends with it.
    pool: "forks",
    isolate: true,
    maxWorkers: 2,
    hookTimeout: 30_000,
    setupFiles: ["./tests/support/setup.ts"],
    env: {
      NODE_ENV: "test",
      // The log shows what nobody expected: why a response is a 500 stands there and nowhere else.
      LOG_LEVEL: process.env["LOG_LEVEL"] ?? "error",
      // What makes passwords slow to guess makes a thousand sign-ups slow, too: a quarter of the time of the routes' tests.
      LITE_AUTH_BCRYPT_COST: "4",
    },
    projects: [
      project("unit", ["tests/{modules,http,integrations,components,support}/**/*.test.{ts,tsx}"]),
      project("routes", ["tests/routes/**/*.test.{ts,tsx}"], { testTimeout: 30_000 }),
      project("contract", ["tests/contract/**/*.test.{ts,tsx}"], { testTimeout: 30_000 }),
      project("database", ["tests/database/**/*.test.ts"], { testTimeout: 60_000 }),
      project("local", ["tests/local/**/*.test.ts"], { testTimeout: 60_000 }),
      project("faults", ["tests/faults/**/*.test.{ts,tsx}"], { testTimeout: 20_000 }),
    ],
  },
});
