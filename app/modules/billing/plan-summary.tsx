import type { ReactNode } from "react";

import { Callout } from "~/components/ui/callout";
import { TimestampText } from "~/components/ui/date-text";

import { describeCredit } from "./credit";
import type { OwnPlan } from "./plan.server";
import { BIPOC_MONTHLY, describeBill, describeCharge, FEATURED_PLANS } from "./prices";
import { isAboutToBeCharged, REFUNDED_ON_ARRIVAL, withLastCharge } from "./rules";

/** The name of a plan, as the offer calls it. */
function getPlanName(plan: string | null): string {
  if (plan === BIPOC_MONTHLY.id) return "Month to month";
  return FEATURED_PLANS.find(({ id }) => id === plan)?.name ?? "Featured";
}

interface PlanState {
  tone: "info" | "waiting" | "problem";
  title: ReactNode;
  text: ReactNode;
}

/** What happens next with a plan, in words. Pure. */
function explainPlan(plan: OwnPlan): PlanState {
  const {
    status,
    live,
    cents,
    period_to,
    ends_at,
    next_attempt_at,
    paid,
    plus_tax,
    awaits_payment,
  } = plan;
  const tryAgain = next_attempt_at ? (
    <>
      We’ll try again on <TimestampText at={next_attempt_at} />. Please update your card before
      then.
    </>
  ) : (
    "Please update your card."
  );
  if (status === "past_due")
    return {
      tone: "problem",
      title: paid ? "Your last payment didn’t go through" : "Your payment didn’t go through",
      text: (
        <>
          {paid
            ? "The listing stays Featured for now."
            : "The listing becomes Featured once you’ve paid."}{" "}
          {tryAgain}
        </>
      ),
    };
  if (status === "unpaid")
    return {
      tone: "problem",
      title: "No longer Featured",
      text: "Your payments didn’t go through, so the plan has stopped. You won’t be charged again.",
    };
  if (status === "paused")
    return {
      tone: "waiting",
      title: "This plan is paused",
      text: "The listing isn’t Featured, and you aren’t charged. When the plan resumes, you’ll be charged again. You can cancel it any time.",
    };
  if (!live)
    return {
      tone: "info",
      title: "This plan has ended",
      text: awaits_payment
        ? `The listing isn’t Featured. ${REFUNDED_ON_ARRIVAL}`
        : paid
          ? "The listing is no longer Featured, and you won’t be charged again. Nothing else about it has changed."
          : "The listing isn’t Featured. If your payment is still on its way, we’ll refund it when it arrives.",
    };
  if (!paid)
    return {
      tone: "waiting",
      title: "Payment on its way",
      text: "Your bank can take a few days. The listing becomes Featured when the payment arrives, and you’ll get a receipt by email.",
    };
  if (ends_at !== null)
    return {
      tone: "waiting",
      title: (
        <>
          Canceled, but Featured until <TimestampText at={ends_at} />
        </>
      ),
      text: `${withLastCharge("The plan won’t renew", awaits_payment)} Changed your mind? Choose “Keep plan” before it ends.`,
    };
  return {
    tone: "info",
    title: "Featured",
    text:
      period_to !== null && cents !== null ? (
        <>
          Your plan renews on <TimestampText at={period_to} />. It costs{" "}
          {describeCharge(cents, plus_tax)} and continues until you cancel.
        </>
      ) : (
        "Your plan renews until you cancel."
      ),
  };
}

/**
 * When a running plan is charged again, or ends; null for a plan that stops and has no paid period, for one whose last
 * payment failed and isn't tried again, and for one whose new period isn't charged yet: what comes after a year would
 * read as if nothing were due. Pure.
 */
function getNextDate(plan: OwnPlan, isStopping: boolean): string | null {
  if (isStopping) return (plan.paid && plan.paid_until) || null;
  const isDue = plan.status === "past_due" || isAboutToBeCharged(plan);
  if (plan.ends_at !== null) return isDue ? null : plan.ends_at;
  return plan.next_attempt_at ?? (isDue ? null : plan.period_to);
}

/**
 * A plan, its price, and what happens next.
 * @param state what the server says about a plan (explainPlanApart); null for one that this page explains itself
 * @param note what its payer should know besides
 */
export function PlanSummary({
  plan,
  state,
  isRemoved,
  note,
}: {
  plan: OwnPlan;
  state: PlanState | null;
  isRemoved: boolean;
  note: string | null;
}) {
  const { tone, title, text } = state ?? explainPlan(plan);
  const { cents, months, live, ends_at } = plan;
  const isStopping = plan.leaves_with !== null || isRemoved;
  const renews = live && ends_at === null && !isStopping;
  const date = getNextDate(plan, isStopping);
  const credit = describeCredit(plan.credit_cents, plan.credit_used ?? renews);
  const facts: [string, ReactNode][] = [["Plan", getPlanName(plan.plan)]];
  if (cents !== null && months !== null && (live || plan.status === "paused"))
    facts.push(["Price", describeBill({ cents, months, plus_tax: plan.plus_tax })]);
  if (live && date !== null)
    facts.push([
      renews ? "Next charge" : plan.leaves_with === "account" ? "Paid until" : "Ends",
      <TimestampText at={date} />,
    ]);
  if (credit) facts.push(["Credit", credit]);
  return (
    <>
      <Callout tone={tone} title={title}>
        <p dir="auto">{text}</p>
        {note ? <p>{note}</p> : null}
      </Callout>
      {/* Of a plan of which nothing is known yet, the notice says it all. */}
      {plan.plan === null && facts.length === 1 ? null : (
        <dl className="details-list measure">
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
