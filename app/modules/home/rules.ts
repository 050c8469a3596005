/** The texts of the tasks on the home page. Pure. */

import { formatNumber } from "~/text/counts";
import { formatLongDate } from "~/text/dates";

import type { Task } from "./home.server";

interface TaskText {
  /** What waits, as a sentence. */
  text: string;
  /** The next step. */
  action: string;
  tone: "problem" | "waiting" | "info";
}

/** ", and one other listing", after the name of the first; empty if there is only one. */
function formatOthers(count: number, noun: string): string {
  if (count === 1) return "";
  return `, and ${count === 2 ? `one other ${noun}` : `${formatNumber(count - 1)} other ${noun}s`}`;
}

/** The sentence, the next step, and the tone of a task. */
export function describeTask({ kind, count, name, at }: Task): TaskText {
  switch (kind) {
    case "payment-failed":
      return {
        tone: "problem",
        text: `A payment for ${name}${formatOthers(count, "listing")} didn’t go through.`,
        action: "Mend the payment",
      };
    case "changes-requested":
      return {
        tone: "waiting",
        text: `The team asks for changes to ${name}${formatOthers(count, "listing")}.`,
        action: "Make the changes",
      };
    case "incomplete":
      return {
        tone: "waiting",
        text: `Something is missing in ${name}${formatOthers(count, "listing")}, so it can’t be approved.`,
        action: "Complete it",
      };
    case "job-expiring":
      return {
        tone: "waiting",
        text: `Ends on ${formatLongDate(at)} (UTC): ${name}${formatOthers(count, "job")}.`,
        action: "Renew it",
      };
    case "unpaid-job":
      return {
        tone: "waiting",
        text: `Not live until it is paid for: ${name}${formatOthers(count, "job")}.`,
        action: "Pay for it",
      };
    case "new-leads":
      return count === 1
        ? { tone: "info", text: `Somebody wrote to ${name}.`, action: "Read the message" }
        : {
            tone: "info",
            text: `You have ${formatNumber(count)} new messages from people.`,
            action: "Read them",
          };
    case "to-claim":
      return {
        tone: "info",
        text: `Without an owner, and with your e-mail address: ${name}${formatOthers(count, "listing")}.`,
        action: "Claim it",
      };
  }
}
