/** Why the database refuses what a caller asked for, by the code that it raises. */
export const BILLING_REFUSALS = {
  order_days_missing: "An order for a job needs the number of days that the job is live.",
  order_item_fixed: "An order stays what it was made for, at its price.",
  order_stays_paid: "A paid order cannot become unpaid.",
} as const satisfies Readonly<Record<string, string>>;
