import { setTimeout as sleep } from "node:timers/promises";

const TICK_MS = 20;

/**
 * Runs work and measures how long it waited for something outside of this process, in ms.
 *
 * It counts the ticks of a timer instead of reading the clock. On a machine that is slow or busy
 * with something else, this process gets to run less often, and fewer ticks fit into the same time.
 */
export async function measureWaiting<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; waitedMs: number }> {
  let ticks = 0;
  const running = { done: false };
  const ticking = (async () => {
    for (; !running.done; ticks += 1) await sleep(TICK_MS);
  })();
  try {
    const result = await work();
    return { result, waitedMs: ticks * TICK_MS };
  } finally {
    running.done = true;
    await ticking;
  }
}
