/**
 * Runs pieces of work strictly one after another, in the order they were added.
 *
 * PGlite is one database session. Two requests that overlap on it share one transaction, so the
 * second runs with the role of the first: an anonymous read would be answered with the service
 * role's rows. Every request and every direct statement therefore goes through one queue. Nothing
 * is lost by it, since the session can only do one thing at a time anyway.
 */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  /** Adds work to the end. Gives what the work gives; a failure does not hold up what follows. */
  add<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(work, work);
    this.#last = run.then(
      () => undefined,
      () => undefined,
    );
    return run;
  }

  /** Resolves when everything added so far has ended. */
  async drained(): Promise<void> {
    await this.#last;
  }
}
