import { formatDeadline } from "~/text/deadlines";

import { isAboutToBeCharged, type RenewedPlan, withLastCharge } from "./rules";

/** What ends a plan that its payer hasn’t canceled: the deletion of their account, or the removal of their listing. */
export const LEAVES_WITH = ["account", "listing"] as const;
export type LeavesWith = (typeof LEAVES_WITH)[number];

/** What they have asked for, as the beginning of a sentence. */
export const ASKED: Record<LeavesWith, string> = {
  account: "You’ve asked us to delete your account",
  listing: "You’ve asked us to remove this listing",
};

/** How they can keep the plan. */
export const HOW_TO_KEEP: Record<LeavesWith, string> = {
  account: "Changed your mind? To keep the plan, open My Account and choose “Keep my account”.",
  listing: "Changed your mind? To keep the plan, cancel your removal request.",
};

/** Why a plan can’t be kept or changed now, and what its payer can do. */
export const refuseToKeep = (leaves: LeavesWith): string =>
  `${ASKED[leaves]}, and the plan ends with it. ${HOW_TO_KEEP[leaves]}`;

/** What happens to a running plan, as sentences. */
export function explainLeaving(leaves: LeavesWith, plan: RenewedPlan): string {
  if (plan.status === "past_due")
    return `${ASKED[leaves]}, so the plan is about to end. We won’t try to collect your last payment again.`;
  if (plan.status === "paused")
    return withLastCharge(
      `${ASKED[leaves]}, so your paused plan is about to end`,
      plan.awaits_payment,
    );
  if (isAboutToBeCharged(plan))
    return `${ASKED[leaves]}, so the plan is about to end. Its current period isn’t paid for, and we won’t charge you for it.`;
  return withLastCharge(
    leaves === "account"
      ? `${ASKED[leaves]}. Your plan ends with your account`
      : `${ASKED[leaves]}${plan.paid_until ? `. Your plan ends on ${formatDeadline(plan.paid_until)}` : ", so the plan won’t renew"}`,
    plan.awaits_payment,
  );
}
