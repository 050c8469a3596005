/** Why the database refuses what a caller asked for, by the code that it raises. */
export const BILLING_REFUSALS = {
  order_days_missing: "An order for a job needs the number of days it will be live.",
  order_item_fixed: "An order’s item and price can’t be changed.",
  order_stays_paid: "A paid order can’t be marked unpaid.",
  order_still_payable:
    "A payment is still in progress, so you can’t delete this yet. Please try again in a few minutes.",
  refund_other_order: "That payment belongs to another order. Please reload the page.",
  refund_asked_before:
    "This form was already sent, with another amount or for a refund that failed. Please reload the page to see the result.",
  refund_changed:
    "Another refund on this order came first. Please check the order’s payments, then send your refund again if it’s still right.",
  refund_other_currency:
    "That payment was in another currency, so it can only be refunded in Stripe.",
  refund_amount_missing: "Enter how much to refund.",
  refund_reason_missing: "Enter a reason of up to 500 characters. Only our team sees it.",
  refund_exceeds_payment: "That’s more than what’s left of this payment.",
  payment_disputed:
    "The customer’s bank is still reviewing a dispute about this payment, so it can’t be refunded here. Answer the dispute in Stripe.",
  payment_not_recorded:
    "We don’t have your payment details yet. Please try again in a few minutes.",
} as const satisfies Readonly<Record<string, string>>;
