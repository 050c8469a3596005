/** How a Featured listing's subscription stands, as a sentence with its next step. Pure. */

interface FeaturedBy {
  premium: boolean;
  subscription_status: string | null;
  /** When it ends by itself; null while it goes on. */
  subscription_ends_at: string | null;
}

export interface SubscriptionWords {
  tone: "info" | "waiting" | "problem";
  title: string;
  text: string;
}

const DAY = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** What to tell the listing's owner. Null for a listing that is not Featured and never failed to be. */
export function subscriptionInWords({
  premium,
  subscription_status: status,
  subscription_ends_at: ends,
}: FeaturedBy): SubscriptionWords | null {
  if (status === "past_due") {
    return {
      tone: "problem",
      title: "Payment failed",
      text: "Your last payment didn’t go through. This listing stays Featured while your bank is asked again. To mend it, choose “Manage billing” and check or change your card.",
    };
  }
  if (status === "unpaid") {
    return {
      tone: "problem",
      title: "Payment failed",
      text: "Your payments didn’t go through, so this listing is no longer Featured. You can upgrade it again.",
    };
  }
  if (!premium) return null;
  if (ends !== null) {
    return {
      tone: "waiting",
      title: `Featured until ${DAY.format(new Date(ends))} (UTC)`,
      text: "The subscription was cancelled and ends then; nothing more is charged. To keep it, choose “Manage billing”.",
    };
  }
  return {
    tone: "info",
    title: "Featured",
    text:
      status === null
        ? "There is no subscription to pay for."
        : "The subscription renews by itself until you cancel it.",
  };
}
