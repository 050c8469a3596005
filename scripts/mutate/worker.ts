/** Runs tests for scripts/mutate: Vitest starts once, and then runs the files it is asked to. */
import { writeFileSync } from "node:fs";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createVitest } from "vitest/node";

import type { Outcome, Task } from "./index";

const statement = join(mkdtempSync(join(tmpdir(), "mutation-")), "statement.sql");
process.env["TEST_MUTATION"] = statement;

const vitest = await createVitest("test", {
  project: ["database"],
  watch: false,
  maxWorkers: 1,
  bail: 1,
  reporters: [],
});

process.on("message", (task: Task | null) => void run(task));

async function run(task: Task | null): Promise<void> {
  if (!task) {
    await vitest.close();
    process.exit(0);
  }
  writeFileSync(statement, task.sql);
  let failed = false;
  // One file at a time: the first that notices is enough.
  for (const file of task.files) {
    const specifications = await vitest.getRelevantTestSpecifications([file]);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    failed = unhandledErrors.length > 0 || testModules.some((module) => !module.ok());
    if (failed) break;
  }
  const outcome: Outcome = { failed };
  process.send!(outcome);
}
