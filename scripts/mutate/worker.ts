/** Runs tests for scripts/mutate: Vitest starts once, and then runs the files it is asked to. */

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createVitest } from "vitest/node";

import type { Outcome, Task } from "./run-mutations";

const statement = join(mkdtempSync(join(tmpdir(), "mutation-")), "statement.sql");
process.env["TEST_MUTATION"] = statement;

const vitest = await createVitest("test", {
  project: ["database"],
  watch: false,
  maxWorkers: 1,
  bail: 1,
  // An object without methods: nothing is reported.
  reporters: [{}],
});

process.on("message", ({ task }: { task: Task | null }) => void run(task));

async function run(task: Task | null): Promise<void> {
  if (!task) {
    await vitest.close();
    process.exit(0);
  }
  writeFileSync(statement, task.sql);
  let noticed: string | null = null;
  // One file at a time: the first that notices is enough.
  for (const file of task.files) {
    const specifications = await vitest.getRelevantTestSpecifications([file]);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    const broken = testModules.find((module) => !module.ok());
    if (unhandledErrors.length === 0 && !broken) continue;
    const test = broken && [...broken.children.allTests("failed")][0];
    const [error] = test?.result().errors ?? broken?.errors() ?? unhandledErrors;
    noticed = `${file}: ${test?.fullName ?? "the file"}: ${(error as Error | undefined)?.message ?? "unknown"}`;
    break;
  }
  const outcome: Outcome = { noticed };
  process.send!(outcome);
}
