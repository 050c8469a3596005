import { formatTimestamp } from "~/text/dates";

let count = 0;
let last: Date | undefined;

/** Counts a payment event that could not be recorded. */
export function countUnrecordedEvent(at: Date): void {
  count += 1;
  last = at;
}

/** How many payment events this process could not record since it started, for the metrics. */
export const countUnrecordedEvents = (): number => count;

/**
 * How many payment events this process could not record since it started, as a sentence for the team;
 * null for none. An event is counted each time it arrives.
 */
export function describeUnrecordedEvents(): string | null {
  return last === undefined
    ? null
    : `Payment events we couldn’t record: ${count}, last at ${formatTimestamp(last)}. The log says why. Stripe resends them for three days.`;
}
