import { env } from "~/env.server";

import type { ItemKind } from "./catalog";

/** What a buyer reads beside a button that leads to a payment. */
export interface PaymentTerms {
  text: string;
  /** The terms of sale; null when there is no page for them. */
  url: string | null;
}

/** Who is paid, whether it renews, and when it is refunded. */
const TERMS: Readonly<Record<ItemKind | "elsewhere", string>> = {
  job: "You pay us once, securely with Stripe, and it doesn’t renew. If we can’t post your job, we’ll refund you.",
  sponsorship:
    "You pay us once, securely with Stripe, and it doesn’t renew. You can cancel a date for a refund until shortly before it’s sent; your order shows the deadline.",
  upgrade:
    "You pay us securely with Stripe, who will see your email address and plan, and it renews until you cancel. Cancel any time with “Manage billing” and stay Featured until the end of the period you’ve paid for, which isn’t refunded.",
  elsewhere:
    "You pay us once, on our payment page, and it doesn’t renew. If your plans change before it’s sent or published, get in touch.",
};

/** The terms of a purchase. Text, so that a page needs no script for it. */
export function getPaymentTerms(kind: keyof typeof TERMS): PaymentTerms {
  const { taxIsAdded, termsUrl } = env();
  const tax = taxIsAdded && kind !== "elsewhere" ? " Tax is added where it applies." : "";
  return { text: `${TERMS[kind]}${tax}`, url: termsUrl };
}
