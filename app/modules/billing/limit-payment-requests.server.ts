import { isTooManyRequests } from "~/http/errors.server";
import { enforceRateLimit } from "~/http/rate-limit.server";

import { PaymentRefused } from "./payment-errors.server";

/**
 * How often one account may make us call Stripe. Stripe limits all our calls together, so one
 * account that keeps asking would keep everyone from paying.
 */
const PER_USER = { name: "payment-requests", max: 100, windowSeconds: 15 * 60 };

/** Counts a page that asks Stripe. @throws HttpError 429 after too many */
export const countPaymentPage = (user: string): Promise<void> => enforceRateLimit(PER_USER, user);

/** The same for an action about a payment. @throws PaymentRefused after too many */
export async function countPaymentRequest(user: string): Promise<void> {
  try {
    await countPaymentPage(user);
  } catch (error) {
    if (!isTooManyRequests(error)) throw error;
    throw new PaymentRefused(
      `That’s a lot of requests to our payment provider, so we’ve paused yours. ${error.message}`,
    );
  }
}
