import { redirect, type TypedResponse } from "@remix-run/node";
import { z } from "zod";

import { HttpError } from "~/http/errors.server";
import { redirectWithFlash, type Flash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";

import { LEAVES_WITH, refuseToKeep } from "./leaving";
import { PaymentRefused, problemResponse } from "./payment-errors.server";
import { describeCharges, setCancellation } from "./plan.server";
import { REMOVED } from "./plan-tasks.server";
import { openPortal } from "./portal.server";
import { withLastCharge } from "./rules";

const planOfOther = z.object({
  subscription: z.string(),
  customer: z.string(),
  /** What the listing was called when the plan was bought: it is someone else's now. */
  listing: z.string(),
  cents: z.number().nullable(),
  months: z.number().nullable(),
  period_to: z.string().nullable(),
  ends_at: z.string().nullable(),
  /** As of the owner's own plans. (Absent from a database of the previous release.) */
  paid_until: z.string().nullish(),
  credit_cents: z.number(),
  /** As of the owner's own plans. (Absent from a database of the previous release.) */
  credit_used: z.boolean().nullish(),
  plus_tax: z.boolean(),
  awaits_payment: z.boolean(),
  status: z.string(),
  /** Whether its first payment has arrived. One that arrives now is refunded. */
  paid: z.boolean(),
  /** Whether the listing was removed from the directory. Then its plan is stopped and can't go on. */
  removed: z.boolean(),
  /** What ends the plan at its payer's request. */
  leaves_with: z.enum(LEAVES_WITH).nullable(),
});

/** A running plan for a listing that has gone to someone else, while the buyer still pays for it. */
export type PlanOfOther = z.infer<typeof planOfOther>;

/** The running plans that the user pays for listings that aren't theirs anymore. @throws DataError */
export function listPlansOfOthers(db: Db): Promise<PlanOfOther[]> {
  return callFunction(db, "my_plans_of_others", {}, z.array(planOfOther));
}

/** 404 for a plan whose id can't be one. */
export const noSuchPlan = () =>
  new HttpError(
    404,
    "Plan not found",
    "Your plans and payments are under My Account, in Purchases.",
  );

/** Of a form that is sent again after its answer was lost. */
const NOTHING_TO_END: Flash = {
  tone: "info",
  text: "That plan isn’t among the ones you’re paying for, so there’s nothing to end.",
};

type Context = ActionContext<"signed in">;
/** How the payer's account and Stripe identify such a plan. */
type StripePlan = { stripe_cus_id: string; stripe_subscription_id: string } & Pick<
  PlanOfOther,
  "removed" | "leaves_with" | "awaits_payment"
>;

/** Does something about such a plan. What can't be done is explained on the page. */
const withPlan =
  (work: (context: Context, plan: StripePlan) => Promise<TypedResponse<never>>) =>
  async (context: Context) => {
    const id = readField(context.form, "subscription");
    const plan = (await listPlansOfOthers(context.db)).find(
      ({ subscription }) => subscription === id,
    );
    if (!plan)
      return readField(context.form, "intent") === "end-plan"
        ? redirectWithFlash(paths.purchases(), NOTHING_TO_END)
        : problemResponse(new PaymentRefused("This plan has ended or isn’t yours."));
    try {
      const { customer, removed, leaves_with, awaits_payment } = plan;
      const ids = { stripe_cus_id: customer, stripe_subscription_id: id };
      return await work(context, { ...ids, removed, leaves_with, awaits_payment });
    } catch (error) {
      return problemResponse(error);
    }
  };

const cancel = (wish: "cancel" | "end") =>
  withPlan(async ({ session, log }, plan) => {
    const outcome = await setCancellation({ owner: session.user, log }, plan, wish);
    if (outcome === "would end now")
      return redirect(paths.endPlanOfOther(plan.stripe_subscription_id), { status: 303 });
    return redirectWithFlash(
      paths.purchases(),
      outcome === "ends later"
        ? withLastCharge("Your plan is canceled", plan.awaits_payment)
        : `Plan canceled. ${describeCharges(outcome)}`,
    );
  });

/** The handlers for the forms of PlansOfOthers, by intent. */
export const planOfOtherHandlers = {
  /** At the end of the time that is paid for. One that isn't paid for would end at once: its payer is asked first. */
  "cancel-plan": cancel("cancel"),
  "end-plan": cancel("end"),
  "keep-plan": withPlan(async ({ session, log }, plan) => {
    if (plan.removed) throw new PaymentRefused(REMOVED);
    if (plan.leaves_with) throw new PaymentRefused(refuseToKeep(plan.leaves_with));
    await setCancellation({ owner: session.user, log }, plan, "keep");
    return redirectWithFlash(paths.purchases(), "Your plan continues.");
  }),
  "update-card": withPlan(async ({ session, log }, plan) => {
    const owner = session.user;
    const { url } = await openPortal({ owner, log }, plan, paths.purchases(), "update-card");
    return redirect(url, { status: 303 });
  }),
};
