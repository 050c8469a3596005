/** The longest that a line on an invoice may be, in characters. */
export const INVOICE_LIMITS = {
  name: 150,
  line1: 200,
  line2: 200,
  city: 100,
  state: 100,
  postal_code: 20,
  country: 60,
} as const;
