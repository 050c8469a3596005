import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { formatDeadline } from "~/text/deadlines";

import { describeCredit } from "./credit";
import { explainLeaving } from "./leaving";
import type { PlanOfOther } from "./plans-of-others.server";
import { describeBill, describeCharge } from "./prices";
import {
  isAboutToBeCharged,
  isCanceledAndOver,
  PAYMENT_ON_ITS_WAY,
  NOT_TRIED_AGAIN,
  REFUNDED_ON_ARRIVAL,
  withLastCharge,
} from "./rules";

/** What happens to the plan of a listing that was removed, which we stop. (As explainRemoval says it before.) */
function describeStopped(plan: PlanOfOther): string {
  const end = plan.paid_until;
  const text = "The listing was removed from the directory, so its plan ends";
  if (plan.status === "past_due")
    return `${text}, and we won’t try to collect your last payment again.`;
  return withLastCharge(end ? `${text} on ${formatDeadline(end)}` : text, plan.awaits_payment);
}

/** The next charge of a plan, or when it ends. */
function describeNext(plan: PlanOfOther): string {
  const { ends_at, period_to, cents, months, status, removed, leaves_with, plus_tax } = plan;
  if (!plan.paid)
    return `The listing isn’t yours anymore, so this plan ends. ${plan.awaits_payment ? REFUNDED_ON_ARRIVAL : NOT_TRIED_AGAIN}`;
  if (leaves_with !== null) return explainLeaving(leaves_with, plan);
  if (removed) return describeStopped(plan);
  if (status === "paused")
    return "This plan is paused. When it resumes, you’ll be charged again. If you cancel, it ends right away.";
  if (status === "past_due")
    return "The last payment didn’t go through, and we’ll try again. Please update your card. If you cancel instead, the plan ends right away.";
  if (isCanceledAndOver(plan)) return "Canceled. It’s about to end, and we won’t charge you again.";
  if (ends_at !== null)
    return `Canceled. It ends on ${formatDeadline(ends_at)}.${plan.awaits_payment ? ` ${PAYMENT_ON_ITS_WAY}` : ""} Changed your mind? Choose “Keep plan” before it ends.`;
  if (isAboutToBeCharged(plan))
    return `It has just renewed, and we’re about to charge ${cents === null ? "you" : describeCharge(cents, plus_tax)} for it. If you cancel before that, the plan ends right away.`;
  const bill =
    cents !== null && months !== null ? describeBill({ cents, months, plus_tax }) : "It renews";
  return `${bill}${period_to === null ? "" : `, next on ${formatDeadline(period_to)}`}.`;
}

/** What the payer can do about a plan. */
function PlanForms({ plan }: { plan: PlanOfOther }) {
  const { subscription, listing, ends_at, status, removed, leaves_with, paid } = plan;
  const button = (intent: string, label: string) => (
    <PostForm intent={intent}>
      <input type="hidden" name="subscription" value={subscription} />
      <SubmitButton variant="quiet" about={listing}>
        {label}
      </SubmitButton>
    </PostForm>
  );
  return (
    <div className="buttons mt-2">
      {ends_at === null || removed || leaves_with || !paid || isCanceledAndOver(plan)
        ? null
        : button("keep-plan", "Keep plan")}
      {/* A first payment that arrives now is refunded. */}
      {paid ? button("update-card", "Update card") : null}
      {ends_at === null || status === "past_due" ? button("cancel-plan", "Cancel plan") : null}
    </div>
  );
}

/** Whether its payer isn't charged for a plan now: it is paused, canceled, or never was paid for. */
const isOver = ({ status, paid, ends_at, removed, leaves_with }: PlanOfOther): boolean =>
  status === "paused" || !paid || ends_at !== null || removed || leaves_with !== null;

/** Plans for listings that have gone to someone else, for the account that still pays. */
export function PlansOfOthers({ plans }: { plans: readonly PlanOfOther[] }) {
  return (
    <section className="fields measure screen-only" aria-labelledby="other-plans">
      <h2 id="other-plans">Plans for listings you no longer own</h2>
      {plans.every(isOver) ? null : (
        <p>
          You’re still paying for these. If you cancel, the listing stays Featured until the end of
          the period you’ve paid for.
        </p>
      )}
      <ul className="plain-list">
        {plans.map((plan) => (
          <li key={plan.subscription} className="mt-4">
            <p>
              <strong>
                <bdi>{plan.listing}</bdi>
              </strong>
              : {describeNext(plan)}{" "}
              {describeCredit(
                plan.credit_cents,
                plan.credit_used ??
                  (plan.ends_at === null && plan.leaves_with === null && !plan.removed),
              )}
            </p>
            <PlanForms plan={plan} />
          </li>
        ))}
      </ul>
    </section>
  );
}
