/** What the admin dashboard says about the queues. Pure. */

import { formatCount, formatNumber } from "~/text/counts";

import { countDaysSince, formatDays } from "../rules";
import type { AdminDashboard } from "./dashboard.server";

/** Something that needs an admin before anything else. */
export interface FirstNeed {
  kind: "reports" | "flagged" | "removals" | "plans" | "refunds" | "emails" | "no-email";
  /** What it is, to be shown in bold: "3 flagged listings". */
  what: string;
  /** The rest of the sentence. */
  text: string;
}

const MAX_FIRST_NEEDS = 5;

/**
 * What needs an admin first, most urgent first, five at most.
 * @param now in milliseconds
 */
export function listFirstNeeds(
  { reports, queues, failing, no_email }: AdminDashboard,
  now: number,
): FirstNeed[] {
  const { flagged, "archive-requested": removals } = queues;
  const choose = (count: number, one: string, several: string) => (count === 1 ? one : several);
  const oldest = (count: number, since: string | undefined | null) =>
    since
      ? ` ${choose(count, "It has", "The oldest has")} waited ${formatDays(countDaysSince(since, now))}.`
      : "";
  const edits = no_email.more
    ? `More than ${formatNumber(no_email.total)} edits`
    : formatCount(no_email.total, "edit");
  const needs: (FirstNeed & { count: number })[] = [
    {
      kind: "reports",
      count: reports.count,
      what: formatCount(reports.count, "report"),
      text: ` from users ${choose(reports.count, "is", "are")} open.${oldest(reports.count, reports.oldest)}`,
    },
    {
      kind: "flagged",
      count: flagged.count,
      what: formatCount(flagged.count, "flagged listing"),
      text: ` can’t be seen by the public.${oldest(flagged.count, flagged.oldest?.since)}`,
    },
    {
      kind: "removals",
      count: removals.count,
      what: formatCount(removals.count, "removal request"),
      text: ` ${choose(removals.count, "is", "are")} open.${oldest(removals.count, removals.oldest?.since)}`,
    },
    {
      kind: "plans",
      count: failing.plans,
      what: formatCount(failing.plans, "Featured plan"),
      text: ` ${choose(failing.plans, "has", "have")} a payment that failed. Stripe will retry it, and the owner can update their card.`,
    },
    {
      kind: "refunds",
      count: failing.refunds,
      what: formatCount(failing.refunds, "refund"),
      text: ` failed. ${choose(failing.refunds, "It may need", "They may need")} to be sent another way.`,
    },
    {
      kind: "emails",
      count: failing.emails,
      what: formatCount(failing.emails, "email"),
      text: " couldn’t be sent after three tries. We’ll keep trying for a week.",
    },
    {
      kind: "no-email",
      count: no_email.total,
      what: edits,
      text: ` can’t be approved: ${choose(no_email.total, "the listing has", "the listings have")} no owner email.`,
    },
  ];
  return needs
    .filter(({ count }) => count > 0)
    .slice(0, MAX_FIRST_NEEDS)
    .map(({ kind, what, text }) => ({ kind, what, text }));
}
