/** The texts of the tasks on the home page. Pure. */

import { formatNumber } from "~/text/counts";
import { formatLongDate } from "~/text/dates";
import { isolate } from "~/text/isolate";

import type { Task } from "./home.server";

interface TaskText {
  /** What waits, as a sentence. */
  text: string;
  /** The next step. */
  action: string;
  tone: "problem" | "waiting" | "info";
}

/** " and 1 more", after the name of the first; empty if there is only one. */
function formatOthers(count: number): string {
  return count === 1 ? "" : ` and ${formatNumber(count - 1)} more`;
}

const SMALL_NUMBERS = ["Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
/** A number above one that begins a sentence: "Two", "12". */
const formatAmount = (count: number) => SMALL_NUMBERS[count - 2] ?? formatNumber(count);

/** The sentence, the next step, and the tone of a task. */
export function describeTask({ kind, count, name: written, at }: Task): TaskText {
  const name = isolate(written);
  switch (kind) {
    case "payment-failed":
      return {
        tone: "problem",
        text: `Your payment for ${name}${formatOthers(count)} didn’t go through.`,
        action: "Update payment",
      };
    case "changes-requested":
      return {
        tone: "waiting",
        text: `Our team has asked for changes to ${name}${formatOthers(count)}.`,
        action: "See what to change",
      };
    case "incomplete":
      return {
        tone: "waiting",
        text:
          count === 1
            ? `${name} isn’t complete yet, so it can’t be approved.`
            : `${name}${formatOthers(count)} aren’t complete yet, so they can’t be approved.`,
        action: count === 1 ? "Complete it" : "Complete them",
      };
    case "job-expiring":
      return {
        tone: "waiting",
        text:
          count === 1
            ? `Your job “${name}” ends on ${formatLongDate(at)}.`
            : `${formatNumber(count)} of your jobs end soon. The first is “${name}”, on ${formatLongDate(at)}.`,
        action: count === 1 ? "Renew it" : "Renew them",
      };
    case "unpaid-job":
      return {
        tone: "waiting",
        text:
          count === 1
            ? `“${name}” isn’t live yet.`
            : `“${name}”${formatOthers(count)} aren’t live yet.`,
        action: count === 1 ? "Pay to publish it" : "Pay to publish them",
      };
    case "new-leads":
      return count === 1
        ? { tone: "info", text: `You have a new message for ${name}.`, action: "Read it" }
        : {
            tone: "info",
            text: `You have ${formatNumber(count)} new messages.`,
            action: "Read them",
          };
    case "to-claim":
      return {
        tone: "info",
        text:
          count === 1
            ? `${name} has your email address but no owner yet.`
            : `${formatAmount(count)} listings use your email address and have no owner yet: ${name}${formatOthers(count)}.`,
        action: count === 1 ? "Claim it" : "Claim them",
      };
  }
}
