/** The texts of the tasks on the home page. Pure. */

import { formatNumber } from "~/text/counts";
import { formatDeadline } from "~/text/deadlines";

import type { Task } from "./home.server";

interface TaskText {
  /** What waits, as a sentence: `name` is its most important words, with what is before and after them. */
  before: string;
  name: string;
  after: string;
  /** The next step. */
  action: string;
  /** What it is about, for those who hear it apart from the sentence. */
  about: string;
  icon: "briefcase" | "clock" | "credit-card" | "key-round" | "message-square" | "pencil";
  tone: "problem" | "waiting" | "info";
}

/** " and 1 more", after the name of the first; empty if there is only one. */
function formatOthers(count: number): string {
  return count === 1 ? "" : ` and ${formatNumber(count - 1)} more`;
}

const SMALL_NUMBERS = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
/** A number that begins a sentence: "Two", "12". */
const formatAmount = (count: number) => SMALL_NUMBERS[count - 1] ?? formatNumber(count);

/** How many tasks there are, below the title of the page. */
export function summarizeTasks(count: number): string {
  if (count === 0) return "You’re all caught up.";
  return `${formatAmount(count)} ${count === 1 ? "thing is" : "things are"} waiting for you.`;
}

/** The sentence, the next step, and the tone of a task. */
export function describeTask(task: Task): TaskText {
  const text = describeKind(task);
  // (The name of several messages is their number.)
  const others = task.kind === "new-leads" ? "" : formatOthers(task.count);
  return { ...text, about: `${text.name}${others}` };
}

function describeKind({ kind, count, name, at, unpayable }: Task): Omit<TaskText, "about"> {
  const others = formatOthers(count);
  switch (kind) {
    case "payment-failed":
      return {
        icon: "credit-card",
        tone: "problem",
        before: count === 1 ? "Your payment for " : "Your payments for ",
        name,
        after: `${others} didn’t go through.`,
        action: "Update payment",
      };
    case "changes-requested":
      return {
        icon: "pencil",
        tone: "waiting",
        before: "Our team has asked for changes to ",
        name,
        after: `${others}.`,
        action: "See what to change",
      };
    case "incomplete":
      return {
        icon: "pencil",
        tone: "waiting",
        before: "",
        name,
        after:
          count === 1
            ? " isn’t complete yet, so it can’t be approved."
            : `${others} aren’t complete yet, so they can’t be approved.`,
        action: count === 1 ? "Complete it" : "Complete them",
      };
    case "job-expiring":
      return {
        icon: "clock",
        tone: "waiting",
        before:
          count === 1
            ? "Your job “"
            : `${formatNumber(count)} of your jobs end soon. The first is “`,
        name,
        after: count === 1 ? `” ends on ${formatDeadline(at)}.` : `”, on ${formatDeadline(at)}.`,
        action: count === 1 ? "Renew it" : "Renew them",
      };
    case "unpaid-job":
      if (unpayable)
        return {
          icon: "briefcase",
          tone: "waiting",
          before: "“",
          name,
          after:
            count === 1
              ? "” can’t go live, because its listing isn’t public or isn’t yours."
              : `”${others} can’t go live, because their listings aren’t public or aren’t yours.`,
          action: "See what to do",
        };
      return {
        icon: "briefcase",
        tone: "waiting",
        before: "“",
        name,
        after: count === 1 ? "” isn’t live yet." : `”${others} aren’t live yet.`,
        action: count === 1 ? "Pay to publish it" : "Pay to publish them",
      };
    case "new-leads":
      return {
        icon: "message-square",
        tone: "info",
        ...(count === 1
          ? { before: "You have a new message for ", name }
          : { before: "You have ", name: `${formatNumber(count)} new messages` }),
        after: ".",
        action: count === 1 ? "Read it" : "Read them",
      };
    case "to-claim":
      return {
        icon: "key-round",
        tone: "info",
        before:
          count === 1
            ? ""
            : `${formatAmount(count)} listings use your email address and have no owner yet: `,
        name,
        after: count === 1 ? " has your email address but no owner yet." : `${others}.`,
        action: count === 1 ? "Claim it" : "Claim them",
      };
  }
}
