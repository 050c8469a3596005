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
  job: "You pay us once, securely with Stripe, and it doesn’t renew. If we can’t post your job, we’ll refund you.",
  upgrade:
    "You pay us securely with Stripe, who will see your email address and plan, and it renews until you cancel. Cancel any time with “Manage billing” and stay Featured until the end of the period you’ve paid for, which isn’t refunded.",
  elsewhere:
    "You pay us once, on our payment page, and it doesn’t renew. If your plans change before it’s sent or published, get in touch.",
} as const;

/** The terms of a purchase. Text, so that a page needs no script for it. */
export function getPaymentTerms(kind: keyof typeof TERMS): PaymentTerms {
  return kind === "elsewhere" ? { text: TERMS[kind], url: env().termsUrl } : withTax(TERMS[kind]);
}

/** The terms of a sponsorship. @param days until how many days before a newsletter it can be canceled */
export function getSponsorshipTerms(days: number): PaymentTerms {
  return withTax(
    `You pay us once, securely with Stripe, and it doesn’t renew. You can cancel a newsletter and get its price back until ${formatCount(days, "day")} before it goes out.`,
  );
}

function withTax(text: string): PaymentTerms {
  const { taxIsAdded, termsUrl } = env();
  return { text: taxIsAdded ? `${text} Tax is added where it applies.` : text, url: termsUrl };
}
