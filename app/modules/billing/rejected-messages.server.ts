import type { Log } from "~/http/log.server";
import { formatTimestamp } from "~/text/dates";

/** Anyone can send wrong signatures, so many of them must not fill the log. */
const BETWEEN_LINES_MS = 60 * 60 * 1000;

/**
 * Why a message was not accepted, with what that would mean for this installation if Stripe had
 * sent it.
 */
const REASONS = {
  signature: "STRIPE_WEBHOOK_SECRET is not that of the webhook, unless strangers sent them",
  late: "this machine’s clock is wrong, or the messages were on their way for too long",
} as const;
type Reason = keyof typeof REASONS;

interface Rejected {
  count: number;
  last: Date;
  loggedAt: number;
}
const rejected = new Map<Reason, Rejected>();

/** Counts a message to the webhook that has a signature and was not accepted, and logs one an hour. */
export function countRejectedMessage(reason: Reason, log: Log): void {
  const last = new Date();
  const { count = 0, loggedAt = -Infinity } = rejected.get(reason) ?? {};
  const isDue = last.getTime() - loggedAt >= BETWEEN_LINES_MS;
  rejected.set(reason, {
    count: count + 1,
    last,
    loggedAt: isDue ? last.getTime() : loggedAt,
  });
  if (isDue)
    log.warn({ reason, meaning: REASONS[reason], count: count + 1 }, "payment event not accepted");
}

/** The messages that this process did not accept since it started, as a sentence for each reason. */
export const describeRejectedMessages = (): string[] =>
  [...rejected].map(
    ([reason, { count, last }]) =>
      `Payment events we didn’t accept: ${count}, last at ${formatTimestamp(last)}. That means: ${REASONS[reason]}.`,
  );
