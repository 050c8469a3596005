import { z } from "zod";

import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";

import { PaymentRefused, problemResponse } from "./payment-errors.server";
import { describeCharges, setCancellation, type PlanOutcome } from "./plan.server";

const planOfOther = z.object({
  subscription: z.string(),
  customer: z.string(),
  /** What the listing was called when the plan was bought: it is someone else's now. */
  listing: z.string(),
  cents: z.number().nullable(),
  months: z.number().nullable(),
  period_to: z.string().nullable(),
  ends_at: z.string().nullable(),
  status: z.string(),
});

/** A running plan for a listing that has gone to someone else, while the buyer still pays for it. */
export type PlanOfOther = z.infer<typeof planOfOther>;

/** The running plans that the user pays for listings that aren't theirs any more. @throws DataError */
export function listPlansOfOthers(db: Db): Promise<PlanOfOther[]> {
  return callFunction(db, "my_plans_of_others", {}, z.array(planOfOther));
}

/**
 * Cancels such a plan at the end of the time that is paid for, or at once when its last payment didn't go through. What can't be done is explained on the page.
 */
export async function cancelPlanOfOther({ db, form, session, log }: ActionContext<"signed in">) {
  const id = readField(form, "subscription");
  const plan = (await listPlansOfOthers(db)).find(({ subscription }) => subscription === id);
  if (!plan) return problemResponse(new PaymentRefused("This plan has ended or isn’t yours."));
  let outcome: PlanOutcome;
  try {
    outcome = await setCancellation(
      { owner: session.user, log },
      { stripe_cus_id: plan.customer, stripe_subscription_id: id },
      true,
    );
  } catch (error) {
    return problemResponse(error);
  }
  return redirectWithFlash(paths.purchases(), `Plan canceled. ${describeCharges(outcome)}`);
}
