import { env } from "~/env.server";
import { describeCharge, formatDollars } from "~/modules/billing/prices";

import { getSponsorshipState } from "./rules";
import type { Sponsorship } from "./sponsorship.server";

/**
 * What an order cost, with its tax and promotion code, and what of that came back; or what it will cost, before the tax
 * that only Stripe knows.
 */
export function describeTotal(order: Sponsorship): { total: string; refunded: string | null } {
  const state = getSponsorshipState(order);
  if (state !== "paid" && state !== "canceled")
    return {
      total: describeCharge(order.totalCents, env().taxIsAdded && order.totalCents > 0),
      refunded: null,
    };
  return {
    total: formatDollars(order.paidCents),
    refunded: order.refundedCents > 0 ? `${formatDollars(order.refundedCents)} refunded` : null,
  };
}
