import { formatDeadline } from "~/text/deadlines";

/** The subscription of a Featured listing, in sentences with the next step. Pure. */

interface ListingSubscription {
  premium: boolean;
  subscription_status: string | null;
  /** When it is set to end; null while it renews. */
  subscription_ends_at: string | null;
}

interface SubscriptionSummary {
  tone: "info" | "waiting" | "problem";
  title: string;
  text: string;
}

/** Whether a subscription features its listing (private.subscription_is_live in SQL). */
export const isLivePlan = (status: string | null): boolean =>
  status === "active" || status === "trialing" || status === "past_due";

/**
 * What a listing's owner reads about its subscription. Null for a listing that is not Featured, unless
 * it lost its place because of a failed payment.
 */
export function summarizeSubscription({
  premium,
  subscription_status: status,
  subscription_ends_at: ends,
}: ListingSubscription): SubscriptionSummary | null {
  if (status === "past_due") {
    return {
      tone: "problem",
      title: "Payment failed",
      // Not Featured when it was the first payment that failed.
      text: `${premium ? "Your listing stays Featured while we retry the payment." : "Your listing becomes Featured once you’ve paid."} Please update your card.`,
    };
  }
  if (status === "unpaid" && !premium) {
    return {
      tone: "info",
      title: "No longer Featured",
      text: "Your payments didn’t go through, so this listing is no longer Featured. You can upgrade it again.",
    };
  }
  if (!premium) return null;
  if (ends !== null) {
    return {
      tone: "waiting",
      title: `Featured until ${formatDeadline(ends)}`,
      // (A bank debit for it may still be on its way.)
      text: "The plan won’t renew. To keep it, choose “Manage billing”.",
    };
  }
  return {
    tone: "info",
    title: "Featured",
    text:
      // Without a plan, or after it has ended, our team features it.
      isLivePlan(status)
        ? "Your plan renews automatically until you cancel."
        : "There’s no plan to pay for.",
  };
}
