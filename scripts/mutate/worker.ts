/** Runs tests for scripts/mutate: Vitest starts once, and then runs the files it is asked to. */

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  createVitest,
  type TestModule,
  type TestSequencer,
  type TestSpecification,
} from "vitest/node";

import type { Outcome, Step, Task } from "./run-mutations";

const folder = mkdtempSync(join(tmpdir(), "mutation-"));
const statement = join(folder, "statement.sql");
const calls = join(folder, "calls.txt");
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
  if (task.listCalls) process.env["TEST_CALLS"] = calls;
  else delete process.env["TEST_CALLS"];
  const outcome: Outcome = { noticed: null, runs: {} };
  for (const step of task.steps) {
    writeFileSync(calls, "");
    outcome.noticed = await take(step);
    const called = [...new Set(readFileSync(calls, "utf8").split("\n"))];
    for (const module of ended)
      outcome.runs[module.moduleId] = { duration: module.diagnostic().duration, called };
    if (outcome.noticed) break;
  }
  process.send!(outcome);
}

async function take({ files, naming }: Step): Promise<Outcome["noticed"]> {
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
  return broken || unhandledErrors.length > 0 ? { by: broken?.moduleId ?? "", reason } : null;
}
