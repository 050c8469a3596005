import { PostForm } from "~/components/forms/form";
import { SubmitButton } from "~/components/forms/submit-button";
import { formatLongDate } from "~/text/dates";

import type { PlanOfOther } from "./plans-of-others.server";
import { describeBill } from "./prices";

/** The next charge of a plan, or when it ends. */
function describeNext({ ends_at, period_to, cents, months, status }: PlanOfOther): string {
  if (status === "past_due")
    return "The last payment didn’t go through, and we’ll try again. If you cancel, the plan ends right away.";
  if (ends_at !== null) return `Canceled. It ends on ${formatLongDate(ends_at)}.`;
  const bill = cents !== null && months !== null ? describeBill({ cents, months }) : "It renews";
  return `${bill}${period_to === null ? "" : `, next on ${formatLongDate(period_to)}`}.`;
}

/** Plans for listings that have gone to someone else, to cancel them. */
export function PlansOfOthers({ plans }: { plans: readonly PlanOfOther[] }) {
  return (
    <section className="fields screen-only" aria-labelledby="other-plans">
      <h2 id="other-plans">Plans for listings you no longer own</h2>
      <p>
        You’re still paying for these. If you cancel, the listing stays Featured until the end of
        the period you’ve paid for.
      </p>
      <ul className="plain-list">
        {plans.map((plan) => (
          <li key={plan.subscription}>
            <p>
              <strong>
                <bdi>{plan.listing}</bdi>
              </strong>
              : {describeNext(plan)}
            </p>
            {plan.ends_at === null || plan.status === "past_due" ? (
              <PostForm intent="cancel-plan">
                <input type="hidden" name="subscription" value={plan.subscription} />
                <SubmitButton variant="quiet" about={plan.listing}>
                  Cancel plan
                </SubmitButton>
              </PostForm>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
