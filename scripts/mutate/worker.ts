/** Runs tests for scripts/mutate: Vitest starts once, and then runs the files it is asked to. */

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  createVitest,
  type TestModule,
  type TestSequencer,
  type TestSpecification,
} from "vitest/node";

import type { Outcome, Step, Task } from "./run-mutations";

const statement = join(mkdtempSync(join(tmpdir(), "mutation-")), "statement.sql");
process.env["TEST_MUTATION"] = statement;

let order: string[] = [];
/** The files of this run. What Vitest returns has those of all runs, with what they ended with then. */
let ended: TestModule[] = [];
/** Runs the files in the order of the task. */
class TaskOrder implements TestSequencer {
  shard(files: TestSpecification[]) {
    return files;
  }
  sort(files: TestSpecification[]) {
    const place = ({ moduleId }: TestSpecification) => order.indexOf(moduleId);
    return files.sort((one, other) => place(one) - place(other));
  }
}

const vitest = await createVitest("test", {
  project: ["database"],
  watch: false,
  maxWorkers: 1,
  sequence: { sequencer: TaskOrder },
  // The first test that notices is enough.
  bail: 1,
  reporters: [{ onTestModuleEnd: (module) => void ended.push(module) }],
});

process.on("disconnect", () => process.exit(1));
process.on("message", ({ task }: { task: Task | null }) => void run(task));

async function run(task: Task | null): Promise<void> {
  if (!task) {
    await vitest.close();
    process.exit(0);
  }
  writeFileSync(statement, task.sql);
  let outcome: Outcome = { noticed: null, durations: {} };
  for (const step of task.steps) {
    outcome = await take(step);
    if (outcome.noticed) break;
  }
  process.send!(outcome);
}

async function take({ files, naming }: Step): Promise<Outcome> {
  order = files;
  if (naming) vitest.setGlobalTestNamePattern(new RegExp(`\\b(${naming.join("|")})\\b`));
  else vitest.resetGlobalTestNamePattern();
  ended = [];
  const specifications = await vitest.getRelevantTestSpecifications(files);
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const broken = ended.find((module) => !module.ok());
  const test = broken && [...broken.children.allTests("failed")][0];
  const [error] = test?.result().errors ?? broken?.errors() ?? unhandledErrors;
  const reason = `${test?.fullName ?? "the file"}: ${(error as Error | undefined)?.message ?? "unknown"}`;
  return {
    noticed: broken || unhandledErrors.length > 0 ? { by: broken?.moduleId ?? "", reason } : null,
    durations: Object.fromEntries(
      ended.map((module) => [module.moduleId, module.diagnostic().duration]),
    ),
  };
}
