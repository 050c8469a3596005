/** Why the database refuses what a caller asked for, by the code that it raises. */
export const BILLING_REFUSALS = {
  order_days_missing: "An order for a job needs the number of days that the job is live.",
  order_item_fixed: "An order stays what it was made for, at its price.",
  order_stays_paid: "A paid order cannot become unpaid.",
  order_still_payable:
    "A payment for this is open or on its way, so it can’t be deleted yet. Please try again in a few minutes.",
  refund_other_order: "That payment belongs to another order. Please reload the page.",
  refund_asked_before:
    "This form was already sent, with another amount or for a refund that failed. Please reload the page to see what came of it.",
  refund_other_currency:
    "That payment was in another currency, so it can only be refunded at Stripe.",
  refund_amount_missing: "Enter how much to refund.",
  refund_reason_missing: "Say why, in up to 500 characters. Only the team sees it.",
  refund_exceeds_payment: "That’s more than is left of this payment.",
  payment_disputed:
    "The customer’s bank is deciding about this payment, so it can’t be refunded here. Answer the dispute at Stripe.",
  payment_not_recorded:
    "We don’t have the details of your payment yet. Please try again in a few minutes.",
} as const satisfies Readonly<Record<string, string>>;
