import { env } from "~/env.server";
import type { RequestedDeletion } from "~/http/session.server";

import { formatCount } from "~/text/counts";
import { keepTogether } from "~/text/keep-together";

/** What a buyer reads beside a button that leads to a payment. */
export interface PaymentTerms {
  text: string;
  /** The terms of sale; null when there is no page for them. */
  url: string | null;
  /** Whether they say that nothing can be bought now. Then the page says it before anything is chosen, too. */
  isRefused?: boolean;
}

/** Why someone buys nothing now who has asked for the deletion of their account, and what they can do. */
export const ACCOUNT_ENDS =
  "You’ve asked us to delete your account, so you can’t buy anything right now. Changed your mind? Open My Account and choose “Keep my account” first.";

/** Who is paid, whether it renews, and when it is refunded. */
const TERMS = {
  job: "You’ll pay once, securely with Stripe, and it won’t renew automatically. If we can’t post your job, we’ll refund you.",
  upgrade:
    "You’ll pay securely with Stripe, which will see your email address and plan. Your plan renews until you cancel. Cancel any time with “Manage billing”; your listing stays Featured until the end of the period you’ve paid for, which isn’t refunded.",
  elsewhere:
    "You’ll pay once, on our payment page, and it won’t renew automatically. If your plans change before it’s sent or published, get in touch.",
} as const;

/** What is bought here, with an account. */
type SoldHere = Exclude<keyof typeof TERMS, "elsewhere">;

/** Someone who buys here. */
interface Buyer {
  /** The deletion of their account, if they have requested it. */
  deletion: RequestedDeletion | null;
}

/** The terms of a purchase. Text, so that a page needs no script for it. */
export const getPaymentTerms = (kind: SoldHere, buyer: Buyer): PaymentTerms =>
  unlessRefused(TERMS[kind], buyer);

/** The terms of what is bought without an account here. */
export const getTermsElsewhere = (): PaymentTerms => ({
  text: TERMS.elsewhere,
  url: env().termsUrl,
});

/** The terms of a sponsorship. @param days until how many days before a newsletter it can be canceled */
export const getSponsorshipTerms = (days: number, buyer: Buyer): PaymentTerms =>
  unlessRefused(
    `You’ll pay once, securely with Stripe, and it won’t renew automatically. You can cancel a newsletter for a refund until ${keepTogether(formatCount(days, "day"))} before it goes out.`,
    buyer,
  );

/** The terms, or why there is no purchase. As `open_order` refuses it. */
function unlessRefused(text: string, { deletion }: Buyer): PaymentTerms {
  if (deletion !== null) return { text: ACCOUNT_ENDS, url: null, isRefused: true };
  const { taxIsAdded, termsUrl } = env();
  return { text: taxIsAdded ? `${text} Tax is added where it applies.` : text, url: termsUrl };
}
