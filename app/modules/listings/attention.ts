/** What needs the attention of an owner, as sentences with one button each. Pure. */

import { paths } from "~/http/paths";
import { formatShortDate } from "~/text/dates";

import { getDraftName } from "./dashboard-rules";

/** A listing or a draft that needs its owner. */
export interface AttentionTask {
  kind: "payment-failed" | "changes-requested" | "no-address" | "no-email" | "to-claim" | "draft";
  /** Of a listing. */
  id?: number | undefined;
  /** Of a draft. */
  draft?: string | undefined;
  name: string;
  /** The day a draft was saved. */
  saved?: string;
}

interface AttentionText {
  /** The sentence, before and after the listing's name. */
  before: string;
  after: string;
  /** The button, and where it leads. */
  action: string;
  to: string;
  icon: "credit-card" | "pencil" | "key-round" | "clock";
  tone: "problem" | "waiting" | "info";
}

/** The sentence and the button of something that needs its owner. */
export function describeAttention({ kind, id, draft, saved }: AttentionTask): AttentionText {
  const form = paths.listing(id ?? 0, paths.listings());
  switch (kind) {
    case "payment-failed":
      return {
        before: "Your payment for ",
        after: " didn’t go through.",
        action: "Update payment",
        to: paths.billing(id ?? 0),
        icon: "credit-card",
        tone: "problem",
      };
    case "changes-requested":
      return {
        before: "Our team has asked for changes to ",
        after: ".",
        action: "See what to change",
        to: form,
        icon: "pencil",
        tone: "waiting",
      };
    case "no-address":
      return {
        before: "",
        after: " needs a complete address before it can be approved.",
        action: "Complete the address",
        to: form,
        icon: "pencil",
        tone: "waiting",
      };
    case "no-email":
      return {
        before: "",
        after: " needs your email address before it can be approved. Saving the listing adds it.",
        action: "Check and save",
        to: form,
        icon: "pencil",
        tone: "waiting",
      };
    case "to-claim":
      return {
        before: "",
        after: " has your email but no owner yet.",
        action: "Claim it",
        to: form,
        icon: "key-round",
        tone: "info",
      };
    case "draft":
      return {
        before: "",
        after: ` is a draft from ${formatShortDate(saved ?? "")}.`,
        action: "Finish it",
        to: paths.newListing(draft),
        icon: "clock",
        tone: "info",
      };
  }
}

/** The name of what needs attention. */
export function getTaskName(task: Pick<AttentionTask, "name" | "draft">): string {
  return task.draft === undefined ? task.name : getDraftName(task);
}
