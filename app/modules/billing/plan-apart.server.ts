import { formatDeadline } from "~/text/deadlines";

import { ASKED, explainLeaving, HOW_TO_KEEP } from "./leaving";
import type { OwnPlan } from "./plan.server";
import { describeCharge } from "./prices";
import { isAboutToBeCharged, REFUNDED_ON_ARRIVAL, withLastCharge } from "./rules";

interface PlanState {
  tone: "info" | "waiting";
  title: string;
  text: string;
}

/** What happens to a plan when its listing is removed from the directory, for the account that pays. */
export function explainRemoval(plan: OwnPlan): string | null {
  if (plan.status === "paused") return withLastCharge("Removal ends its plan", plan.awaits_payment);
  if (!plan.live) return null;
  if (plan.status === "past_due")
    return "Removal ends its plan, and we won’t try to collect your last payment again.";
  if (!plan.paid)
    return "Removal ends its plan. Your payment is already on its way from your bank. When it arrives, we’ll refund it.";
  const end = plan.paid_until;
  const stopped = withLastCharge(
    "Removal stops its plan",
    plan.awaits_payment,
    "so you won’t be charged again",
  );
  if (!end) return stopped;
  return plan.returned
    ? `${stopped} It ends on ${formatDeadline(end)}.`
    : `${stopped} You’ve paid for it until ${formatDeadline(end)}. We don’t refund that time.`;
}

/** What happens to the plan of a listing that was removed from the directory, which we stop. */
function explainStoppedPlan(plan: OwnPlan): PlanState {
  const end = plan.paid_until;
  const title = "This listing was removed from the directory";
  if (plan.live && !plan.paid && plan.status !== "past_due")
    return {
      tone: "waiting",
      title,
      text: "That stops its plan. We’ll refund your payment when it arrives, and the plan ends then.",
    };
  if (plan.status === "paused")
    return {
      tone: "info",
      title,
      text: withLastCharge("That ends its plan", plan.awaits_payment),
    };
  return {
    tone: "info",
    title,
    text: plan.live
      ? `${withLastCharge("That stops its plan", plan.awaits_payment, "so you won’t be charged again")}${end ? ` It ends on ${formatDeadline(end)}${plan.returned ? "" : ", when the period you’ve paid for is over"}.` : ""}`
      : plan.awaits_payment
        ? `Its plan has ended. ${REFUNDED_ON_ARRIVAL}`
        : "Its plan has ended. You won’t be charged again.",
  };
}

/** What is said of a plan without which our team keeps the listing Featured. */
function explainFeaturedByHand({ status, awaits_payment }: OwnPlan): PlanState {
  if (status === "paused")
    return {
      tone: "waiting",
      title: "This plan is paused",
      text: "Our team keeps this listing Featured, and you aren’t charged. When the plan resumes, you’ll be charged again. You can cancel it any time.",
    };
  return {
    tone: "info",
    title: "Featured without a plan",
    text: `Your plan has ended, but our team keeps this listing Featured. ${awaits_payment ? REFUNDED_ON_ARRIVAL : "You won’t be charged."}`,
  };
}

/** What is said of a plan that ends with what its payer has asked for. */
function explainEndingPlan(plan: OwnPlan, leaves: keyof typeof HOW_TO_KEEP): PlanState {
  const endsNow =
    plan.status === "past_due" || plan.status === "paused" || isAboutToBeCharged(plan);
  if (!plan.paid && !endsNow)
    return {
      tone: "waiting",
      title: "Payment on its way",
      text: `${ASKED[leaves]}, so we’ll refund your payment when it arrives, and the plan ends. ${HOW_TO_KEEP[leaves]}`,
    };
  return {
    tone: "waiting",
    title: endsNow ? "This plan is about to end" : "This plan won’t renew",
    // One that is paused, or isn't charged yet, ends within minutes, for good.
    text: `${explainLeaving(leaves, plan)}${endsNow && plan.status !== "past_due" ? "" : ` ${HOW_TO_KEEP[leaves]}`}`,
  };
}

const explainDuePlan = ({ cents, plus_tax }: OwnPlan): PlanState => ({
  tone: "info",
  title: "Featured",
  text: `Your plan has just renewed, and we’re about to charge ${cents === null ? "you" : describeCharge(cents, plus_tax)} for it. It continues until you cancel.`,
});

/** Of a canceled plan that is over, which Stripe hasn’t reported yet. */
const ABOUT_TO_END: PlanState = {
  tone: "waiting",
  title: "This plan is about to end",
  text: "You’ve canceled it, and we won’t charge you again.",
};

/**
 * What a plan's page says where the plan and the listing don't go together (of a removed listing, and of one that is
 * Featured without it), of a plan that ends with what its payer has asked for, and of one whose period is over, or isn't
 * charged yet. Null for others, which the page explains itself.
 */
export function explainPlanApart(
  plan: OwnPlan,
  { premium, isRemoved }: { premium: boolean; isRemoved: boolean },
): PlanState | null {
  if (isRemoved) return explainStoppedPlan(plan);
  if ((plan.live || plan.status === "paused") && plan.leaves_with !== null)
    return explainEndingPlan(plan, plan.leaves_with);
  if (premium && !plan.live && plan.status !== "past_due") return explainFeaturedByHand(plan);
  if (!plan.live || !isAboutToBeCharged(plan)) return null;
  return plan.ends_at === null ? explainDuePlan(plan) : ABOUT_TO_END;
}

/** What follows for a running plan if its payer cancels it now; null for one that they have canceled. */
export function explainCanceling(plan: OwnPlan): string | null {
  if (plan.status === "past_due")
    return "If you cancel, the plan ends right away, and we stop trying to collect its last payment.";
  if (plan.ends_at !== null) return null;
  if (isAboutToBeCharged(plan))
    return "If you cancel before the new period is charged, the plan ends right away.";
  if (!plan.paid)
    return "If you cancel, your listing still becomes Featured when your payment arrives, until the end of the period it pays for.";
  return plan.returned
    ? "If you cancel, your listing stays Featured until the end of the current period, and we won’t charge you again."
    : "If you cancel, your listing stays Featured until the end of the period you’ve paid for, which isn’t refunded.";
}
