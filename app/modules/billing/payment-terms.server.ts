import { env } from "~/env.server";

import { formatCount } from "~/text/counts";

/** What a buyer reads beside a button that leads to a payment. */
export interface PaymentTerms {
  text: string;
  /** The terms of sale; null when there is no page for them. */
  url: string | null;
}

/** Who is paid, whether it renews, and when it is refunded. */
const TERMS = {
  job: "You’ll pay once, securely with Stripe, and it won’t renew. If we can’t post your job, we’ll refund you.",
  upgrade:
    "You’ll pay securely with Stripe, who will see your email address and plan. Your plan renews until you cancel. Cancel any time with “Manage billing”; your listing stays Featured until the end of the period you’ve paid for, which isn’t refunded.",
  elsewhere:
    "You’ll pay once, on our payment page, and it won’t renew. If your plans change before it’s sent or published, get in touch.",
} as const;

/** The terms of a purchase. Text, so that a page needs no script for it. */
export function getPaymentTerms(kind: keyof typeof TERMS): PaymentTerms {
  return kind === "elsewhere" ? { text: TERMS[kind], url: env().termsUrl } : withTax(TERMS[kind]);
}

/** The terms of a sponsorship. @param days until how many days before a newsletter it can be canceled */
export function getSponsorshipTerms(days: number): PaymentTerms {
  return withTax(
    `You’ll pay once, securely with Stripe, and it won’t renew. You can cancel a newsletter for a refund until ${formatCount(days, "day")} before it goes out.`,
  );
}

function withTax(text: string): PaymentTerms {
  const { taxIsAdded, termsUrl } = env();
  return { text: taxIsAdded ? `${text} Tax is added where it applies.` : text, url: termsUrl };
}
