import type Stripe from "stripe";
import { z } from "zod";

import type { Log } from "~/http/log.server";
import { isStripeConfigured } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { noSuchListing } from "~/modules/listings/listing.server";
import { isPublic } from "~/modules/listings/visibility-rules";

import { LEAVES_WITH } from "./leaving";
import { countPaymentRequest } from "./limit-payment-requests.server";
import {
  NOT_SET_UP,
  PaymentRefused,
  PaymentUnavailable,
  toPaymentError,
} from "./payment-errors.server";
import { NO_SUBSCRIPTION, PAID_BY_ANOTHER, requirePayer } from "./portal.server";
import { recordPayment } from "./record-payment.server";
import { REFUNDED_ON_ARRIVAL, UNSEEN } from "./rules";
import type { Buyer } from "./stripe-customer.server";
import { getStripeId } from "./stripe-fields";
import {
  changeScheduledEnd,
  endSubscription,
  findSubscription,
  findUnchargedPeriod,
  getPeriodStart,
  hasEnded,
  isPaidUp,
  stopCollection,
  type SubscriptionEnd,
} from "./subscription-end.server";
import { tryToRecord } from "./try-to-record.server";

const HAS_ENDED = "This plan has already ended. You can choose a new one any time.";

const planSchema = z.discriminatedUnion("mine", [
  z.object({
    mine: z.literal(true),
    status: z.string(),
    live: z.boolean(),
    plan: z.string().nullable(),
    cents: z.number().nullable(),
    months: z.number().nullable(),
    period_to: z.string().nullable(),
    ends_at: z.string().nullable(),
    /**
     * Until when it is paid for, and goes on when it is stopped; null when it ends at once, or while
     * a new period may not be charged yet. (Absent from a database of the previous release.)
     */
    paid_until: z.string().nullish(),
    /**
     * Whether what was paid for the present period was refunded in full, or returned by a bank. (Absent from a database
     * of the previous release.)
     */
    returned: z.boolean().default(false),
    /**
     * Whether any plan of its customer is charged again, which uses their credit. (Absent from a database of the previous
     * release.)
     */
    credit_used: z.boolean().nullish(),
    next_attempt_at: z.string().nullable(),
    /** What the payer has in credit, as after a change to a cheaper plan. It pays for their next bills first. */
    credit_cents: z.number(),
    /** Whether tax is added to `cents`. */
    plus_tax: z.boolean(),
    /** Whether its last bill is on its way from a bank. */
    awaits_payment: z.boolean(),
    subscription: z.string(),
    /** Whether its first payment has arrived: a bank debit takes days, and the listing is not Featured before. */
    paid: z.boolean(),
    /**
     * What ends the plan at its payer's request: the deletion of their account, or the removal of
     * their listing.
     */
    leaves_with: z.enum(LEAVES_WITH).nullable(),
  }),
  z.object({ mine: z.literal(false), status: z.string(), live: z.boolean() }),
]);

/** The plan of a listing, as its owner sees it; what it costs is only for the account that pays. */
type ListingPlan = z.infer<typeof planSchema>;

/** What the account that pays knows about its plan. */
export type OwnPlan = Extract<ListingPlan, { mine: true }>;

/**
 * How a listing is paid for, for its owner. It comes from the listing's own row, never from a form.
 * @throws HttpError 404 when there is no such listing of theirs; DataError
 */
export async function findListingBilling(db: Db, owner: string, placeId: number) {
  const listing = await db
    .from("places")
    .select(
      "id, name, status, hidden, archive_requested, premium, stripe_cus_id, stripe_subscription_id, subscription_status, subscription_ends_at",
    )
    .eq("id", placeId)
    .eq("owner", owner)
    .maybeSingle();
  unwrap(listing);
  if (!listing.data) throw noSuchListing();
  return listing.data;
}

/** Whether the user's own plan will be charged again, unless they or we do something about it. */
export const renews = (plan: ListingPlan | null): boolean =>
  plan !== null && plan.mine && plan.live && plan.ends_at === null && plan.leaves_with === null;

/** What its payer should know about a plan that goes on being charged; null when there is nothing. As before a renewal. */
export const notePlan = (
  plan: ListingPlan | null,
  listing: Awaited<ReturnType<typeof findListingBilling>>,
): string | null =>
  renews(plan) && listing.status !== "archived" && !isPublic(listing) ? UNSEEN : null;

/** The plan of one of the user's listings, also after it has ended; null when there was none. @throws DataError */
export function findListingPlan(db: Db, placeId: number): Promise<ListingPlan | null> {
  return callFunction(db, "my_plan", { place_id: placeId }, planSchema.nullable());
}

const CANCEL_FAILURE = {
  unavailable:
    "We can’t reach our payment provider right now, so nothing has changed. Please try again in a few minutes.",
  slow: "Nothing has changed. Please try again in a few minutes.",
  ourFault:
    "That didn’t work, and it’s our fault. Nothing has changed. Please try again later, or choose “Manage billing”.",
};

/** Stripe may have done it, and its answer was lost. */
const CHANGE_FAILURE = {
  unavailable:
    "Our payment provider didn’t answer, so we can’t tell yet whether that worked. Please check here in a few minutes. If it didn’t work, try again.",
  slow: "We can’t tell yet whether that worked. Please check here in a few minutes. If it didn’t work, try again.",
  ourFault: CANCEL_FAILURE.ourFault,
};

/**
 * What happened to a plan: it goes on; it ends with the period that is paid for; nothing yet,
 * because it would end at once and its payer has to be asked; or it has ended now, because its last
 * payment had not gone through. In that case nothing is collected anymore, except a bank debit that
 * is on its way and can't be called back.
 */
export type PlanOutcome = "continues" | "ends later" | "would end now" | SubscriptionEnd;

/** What a payer wants for their plan. Only "end" may end it at once, which no one can undo. */
export type PlanWish = "keep" | "cancel" | "end";

/**
 * Cancels the subscription of a listing at the end of the period that is paid for, or keeps it after all. One
 * whose last payment did not go through, or is not charged yet, is ended at once, if that is the wish: Stripe would
 * collect it until the end of the period. What follows from it is recorded at once, or by the event when Stripe doesn't
 * answer anymore.
 * @throws PaymentRefused, PaymentUnavailable (their messages are for the user), DataError
 */
export async function setCancellation(
  { owner, log }: { owner: Buyer; log: Log },
  listing: { stripe_cus_id: string | null; stripe_subscription_id: string | null },
  wish: PlanWish,
): Promise<PlanOutcome> {
  const { stripe_cus_id: customer, stripe_subscription_id: id } = listing;
  if (!id) throw new PaymentRefused(NO_SUBSCRIPTION);
  if (!customer) throw new PaymentRefused(PAID_BY_ANOTHER);
  if (!isStripeConfigured()) throw new PaymentUnavailable(NOT_SET_UP);
  await countPaymentRequest(owner.id);
  await requirePayer(customer, owner.id);
  const isCanceled = wish !== "keep";
  let subscription: Stripe.Subscription | null;
  let isUncharged = false;
  try {
    subscription = await findSubscription(id);
    if (isCanceled && subscription)
      isUncharged = (await findUnchargedPeriod(id, getPeriodStart(subscription))) === "present";
  } catch (error) {
    throw toPaymentError(error, log, CANCEL_FAILURE);
  }
  if (!subscription) throw new PaymentRefused(HAS_ENDED);
  // Whatever the listing says, no one can end what someone else pays for.
  if (getStripeId(subscription.customer) !== customer) throw new PaymentRefused(PAID_BY_ANOTHER);
  const isOver = hasEnded(subscription.status);
  if (isOver && wish !== "end") throw new PaymentRefused(HAS_ENDED);
  const endsNow = isCanceled && (!isPaidUp(subscription.status) || isUncharged);
  if (endsNow && wish === "cancel") return "would end now";
  let outcome: PlanOutcome;
  try {
    outcome = isOver
      ? // Sent again, after its answer was lost.
        await stopCollection(id, log)
      : endsNow
        ? await endSubscription(subscription, "customer", log)
        : await changeEnd(subscription, isCanceled);
  } catch (error) {
    // Stripe changes nothing about a subscription that has ended, and may have other reasons, too.
    if (classifyStripeError(error) === "refused") {
      const present = await findSubscription(id).catch(() => subscription);
      if (!present || hasEnded(present.status)) throw new PaymentRefused(HAS_ENDED);
    }
    throw toPaymentError(error, log, CHANGE_FAILURE);
  }
  await tryToRecord({ subscriptionId: id }, log);
  return outcome;
}

/** What is still charged for a plan that has ended, as a sentence. */
export const describeCharges = (outcome: PlanOutcome): string =>
  outcome === "ended, debit on its way" ? REFUNDED_ON_ARRIVAL : "We won’t charge you again.";

async function changeEnd(
  subscription: Stripe.Subscription,
  isCanceled: boolean,
): Promise<PlanOutcome> {
  if (isCanceled) {
    await changeScheduledEnd(subscription, { cancel_at_period_end: true });
    return "ends later";
  }
  // On its own page, Stripe sets a date and nothing else; and it takes only one of the two at a time.
  const changed = subscription.cancel_at_period_end
    ? await changeScheduledEnd(subscription, { cancel_at_period_end: false })
    : subscription;
  if (changed.cancel_at !== null) await changeScheduledEnd(changed, { cancel_at: "" });
  return "continues";
}

/**
 * Asks Stripe about the subscription of a listing, after its owner changed something there.
 * @throws PaymentUnavailable, DataError
 */
export async function checkSubscription(
  { stripe_subscription_id: id }: { stripe_subscription_id: string | null },
  log: Log,
): Promise<void> {
  if (!id || !isStripeConfigured()) return;
  try {
    await recordPayment({ subscriptionId: id }, { log });
  } catch (error) {
    throw toPaymentError(error, log, CANCEL_FAILURE);
  }
}
