/**
 * Runs tasks one after another, in the order in which they were added.
 *
 * PGlite is a single database session. Two requests that overlap would share a transaction, and the
 * second would run with the role of the first: an anonymous read would return the rows of the
 * service role. So every request and every direct statement goes through one queue. This costs
 * nothing, since the session can only do one thing at a time.
 */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  /** Adds a task, and returns its result. A task that fails does not stop the next one. */
  add<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(work, work);
    this.#last = run.then(
      () => undefined,
      () => undefined,
    );
    return run;
  }

  /** Resolves when every task added so far has ended. */
  async drained(): Promise<void> {
    await this.#last;
  }
}
