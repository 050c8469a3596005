import { setImmediate as nextTurn } from "node:timers/promises";

/** Requests wait for one slice at most. */
const SLICE_MS = 8;

/**
 * Cuts long work into short slices, between which the process does everything else. By the clock,
 * and not by a count of steps, so that the slices are as short on a slow machine.
 */
export class Slices {
  #began = performance.now();

  /** Whether this slice is over, and `next` should be awaited. Cheap enough to ask for each record. */
  get over(): boolean {
    return performance.now() - this.#began > SLICE_MS;
  }

  /** Begins the next slice, once everything that waits has had its turn. */
  async next(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }
}
