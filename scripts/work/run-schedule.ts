import { setTimeout as wait } from "node:timers/promises";

import { explainDataError } from "~/http/explain-data-error.server";
import { redactSecrets, type Log } from "~/http/log.server";
import { DataError } from "~/integrations/supabase/data.server";

/** A piece of work that is repeated. It must be safe to repeat, and to run in two processes at once. */
export interface Task {
  name: string;
  everyMs: number;
  /**
   * @param ending is aborted when the process must end: what has begun may be finished
   * @returns what was done, for the log; null when there was nothing to do
   * @throws anything: it is logged, and the task is tried again after its usual pause
   */
  run(ending: AbortSignal): Promise<Record<string, number> | null>;
}

/** From SIGTERM on. Together with the start of an exit it stays below ten seconds. */
const FINISH_MS = 8_000;

/**
 * Runs each task now and then again and again, until `ending` is aborted. Tasks do not wait for one
 * another, and none runs twice at once here.
 * @returns the names of the tasks that were not finished in time
 */
export async function runSchedule(
  tasks: readonly Task[],
  { ending, log, finishMs = FINISH_MS }: { ending: AbortSignal; log: Log; finishMs?: number },
): Promise<string[]> {
  const running = new Set<string>();

  async function repeat(task: Task): Promise<void> {
    while (!ending.aborted) {
      running.add(task.name);
      await runOnce(task, ending, log);
      running.delete(task.name);
      await wait(task.everyMs, undefined, { signal: ending }).catch(() => undefined);
    }
  }

  const all = Promise.all(tasks.map(repeat));
  await new Promise<void>((resolve) => {
    if (ending.aborted) resolve();
    else ending.addEventListener("abort", () => resolve(), { once: true });
  });
  const inTime = new AbortController();
  await Promise.race([
    all.finally(() => inTime.abort()),
    wait(finishMs, undefined, { signal: inTime.signal }).catch(() => undefined),
  ]);
  return [...running];
}

async function runOnce(task: Task, ending: AbortSignal, log: Log): Promise<void> {
  const started = Date.now();
  try {
    const done = await task.run(ending);
    const line = { work: task.name, ...done, ms: Date.now() - started };
    if (done) log.info(line, "work done");
    else log.debug(line, "nothing to do");
  } catch (error) {
    const known = error instanceof DataError;
    log[known ? "warn" : "error"](
      {
        work: task.name,
        failure: known ? error.failure : "unknown",
        code: known ? error.code : undefined,
        reason: known
          ? explainDataError(error)
          : redactSecrets(error instanceof Error ? error.message : String(error)),
        ms: Date.now() - started,
      },
      "work not done; it is tried again",
    );
  }
}
