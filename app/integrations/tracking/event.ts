/** What advertising and e-mail services are told, when somebody has agreed to it. */
export type MarketingEvent =
  | { name: "PageView" | "InitiateCheckout" | "viewed_upgrade_page" | "started_checkout" }
  /** Of a payment that the payment provider has confirmed. */
  | { name: "Purchase"; orderId: string; cents: number; currency: string };

/** Whose event it is: an account, or a browser by a random id of its own. */
export type Subject = { email: string } | { browser: string };
