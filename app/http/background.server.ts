import { setTimeout as wait } from "node:timers/promises";

import { AUTH_FAILURES } from "~/integrations/supabase/auth-errors";
import { AuthServiceError } from "~/integrations/supabase/auth.server";
import { DataError } from "~/integrations/supabase/data.server";
import { currentScope, runInBackground } from "~/integrations/upstream/request-scope.server";

import { whenSent } from "./backpressure.server";
import { describeFailure } from "./describe-failure.server";
import { unavailable } from "./errors.server";
import { getRequestId } from "./internal-headers.server";
import { log } from "./log.server";

/**
 * Work that begins once its response has been sent, so that neither the response nor its timing
 * depends on what the work finds. It is in memory: a process that is killed loses it, and the page
 * therefore says what to do if no email comes. A process that is asked to end finishes it first.
 */

/** The pauses before work is tried again, while the service that it needs does not answer. */
const PAUSES_MS = [2_000, 8_000, 30_000, 60_000];
/**
 * More pending work of one kind than this would be an outage, or an attack: new work of that kind
 * is then refused in the response. Each kind has its own limit, so that a flood of sign-ups keeps
 * no one from leaving.
 */
const MAX_TASKS_OF_A_KIND = 500;

interface Task {
  name: string;
  requestId: string;
  work: () => Promise<void>;
  /** Ends the pause while the work waits for its next attempt. */
  hurry: (() => void) | null;
}

const tasks = new Map<string, Task>();
const listeners = new Set<() => void>();
let ending = false;

const notify = () => {
  for (const listener of listeners) listener();
  listeners.clear();
};

type PausesAfter = (error: unknown) => readonly number[] | undefined;

/**
 * Runs work after the response to this request. A failure is logged, and retried when trying again
 * can help.
 * @param options.pausesMs the pauses before it is tried again after this failure; about two minutes in all when left
 *   out, or undefined
 * @param options.name its kind, for the log and the limit
 * @param options.key the same work has the same key: while it is pending, it is not begun again,
 * and the next attempt uses the version that was requested last
 * @throws HttpError 503 when too much work of this kind is pending
 */
export function runAfterResponse(
  request: Request,
  options: { name: string; key: string; work: () => Promise<void>; pausesMs?: PausesAfter },
): void {
  const key = `${options.name}:${options.key}`;
  const pending = tasks.get(key);
  if (pending) {
    pending.work = options.work;
    return;
  }
  const ofThisKind = [...tasks.values()].filter(({ name }) => name === options.name);
  if (ofThisKind.length >= MAX_TASKS_OF_A_KIND) throw unavailable();
  const task: Task = {
    name: options.name,
    requestId: getRequestId(request),
    work: options.work,
    hurry: null,
  };
  tasks.set(key, task);
  void whenSent(request)
    .then(() => runInBackground(() => attempt(task, options.pausesMs)))
    .finally(() => {
      tasks.delete(key);
      notify();
    });
}

async function attempt(task: Task, pausesMs: PausesAfter = () => undefined): Promise<void> {
  const { name, requestId } = task;
  const scope = currentScope();
  for (let attempts = 1; ; attempts += 1) {
    // After the process was asked to end there is one more attempt, and no pause.
    const last = ending;
    if (scope) scope.failedCall = null;
    try {
      await task.work();
      log().info({ work: name, requestId, attempts }, "done after the response");
      return;
    } catch (error) {
      const pauses = isTransient(error) && !last ? (pausesMs(error) ?? PAUSES_MS) : [];
      const pause = pauses[attempts - 1];
      const line = {
        work: name,
        requestId,
        attempts,
        call: scope?.failedCall,
        ...describeFailure(error),
      };
      if (pause === undefined) {
        log().error(line, "could not be done after the response");
        return;
      }
      log().warn({ ...line, retryInMs: pause }, "could not be done after the response yet");
      await pauseFor(task, pause);
    }
  }
}

async function pauseFor(task: Task, ms: number): Promise<void> {
  if (ending) return;
  const hurried = new AbortController();
  task.hurry = () => hurried.abort();
  notify();
  await wait(ms, undefined, { signal: hurried.signal }).catch(() => undefined);
  task.hurry = null;
}

/** Whether trying again can help: a service did not answer, or accepted no more calls. */
function isTransient(error: unknown): boolean {
  if (error instanceof AuthServiceError) return AUTH_FAILURES[error.failure].retryHelps;
  return error instanceof DataError && error.failure === "unavailable";
}

/** Waits until all work is done, or waits for a service that does not answer. */
export async function settleBackgroundWork(): Promise<void> {
  for (;;) {
    if ([...tasks.values()].every(({ hurry }) => hurry !== null)) return;
    await new Promise<void>((resolve) => void listeners.add(resolve));
  }
}

/** Before the process ends: every piece of work gets its last attempt now. */
export function hurryBackgroundWork(): void {
  ending = true;
  for (const { hurry } of tasks.values()) hurry?.();
}

/** Logs the work that is not done when the process ends. */
export function reportUnfinishedWork(): void {
  for (const { name, requestId } of tasks.values())
    log().error({ work: name, requestId }, "not done before the process ended");
}
