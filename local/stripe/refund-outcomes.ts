import type { Stripe } from "stripe";

import type { Account, DueTask } from "./account";
import { ApiError } from "./api-error";
import { idOf, newId } from "./ids";
import { refundOutcome } from "./payment-methods";
import type { RefundFailure } from "./records";

/**
 * Decides how the refund of a charge goes on: it depends on what was paid with. Returns the status
 * with which the refund begins.
 */
export function planOutcome(
  account: Account,
  refund: string,
  charge: Stripe.Charge,
): "pending" | "succeeded" {
  const method = account.store.find("payment_method", charge.payment_method ?? "");
  const outcome = method ? refundOutcome(method) : null;
  if (!outcome) return "succeeded";
  account.store.put("refund_outcome", refund, {
    at: account.now + outcome.afterSeconds,
    failure: outcome.fails ? "expired_or_canceled_card" : null,
  });
  return outcome.begins;
}

/** A pending refund arrives. */
export function settleRefund(account: Account, refund: Stripe.Refund): Stripe.Refund {
  if (refund.status !== "pending")
    throw new ApiError(`This refund is ${refund.status}, and not pending.`);
  account.store.remove("refund_outcome", refund.id);
  const { pending_reason: _, ...rest } = refund;
  const settled = account.save("refund", { ...rest, status: "succeeded" }, "refund.updated");
  account.recordEvent("charge.refund.updated", settled);
  return settled;
}

/**
 * A refund comes back: the customer's bank could not credit it. The charge counts as paid again by
 * that much.
 */
export function failRefund(
  account: Account,
  refund: Stripe.Refund,
  reason: RefundFailure = "expired_or_canceled_card",
): Stripe.Refund {
  if (refund.status !== "pending" && refund.status !== "succeeded")
    throw new ApiError(`This refund is ${refund.status}.`);
  account.store.remove("refund_outcome", refund.id);
  const charge = account.get("charge", idOf(refund.charge)!);
  account.save("charge", {
    ...charge,
    amount_refunded: charge.amount_refunded - refund.amount,
    refunded: false,
  });
  const { pending_reason: _, ...rest } = refund;
  const failed = account.save(
    "refund",
    {
      ...rest,
      failure_balance_transaction: newId("txn"),
      failure_reason: reason,
      status: "failed",
    },
    "refund.updated",
  );
  account.recordEvent("charge.refund.updated", failed);
  account.recordEvent("refund.failed", failed);
  return failed;
}

/** Refunds arrive or fail by themselves. */
export function dueRefunds(account: Account): DueTask[] {
  return account.store.all("refund").flatMap((refund): DueTask[] => {
    const outcome = account.store.find("refund_outcome", refund.id);
    if (!outcome) return [];
    const { at, failure } = outcome;
    return [
      {
        at,
        run: () => (failure ? failRefund(account, refund, failure) : settleRefund(account, refund)),
      },
    ];
  });
}
