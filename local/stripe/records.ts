import type { Stripe } from "stripe";

/**
 * Everything that the stand-in stores, by type. First Stripe's own objects, in the form in which
 * its API returns them; below them, state that the API does not show.
 */
export interface Records {
  product: Stripe.Product;
  price: Stripe.Price;
  coupon: Stripe.Coupon;
  promotion_code: Stripe.PromotionCode;
  discount: Stripe.Discount;
  customer: Stripe.Customer | Stripe.DeletedCustomer;
  customer_balance_transaction: Stripe.CustomerBalanceTransaction;
  payment_method: Stripe.PaymentMethod;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  "checkout.session": Stripe.Checkout.Session;
  subscription: Stripe.Subscription;
  invoice: Stripe.Invoice;
  invoice_payment: Stripe.InvoicePayment;
  "billing_portal.configuration": Stripe.BillingPortal.Configuration;
  "billing_portal.session": Stripe.BillingPortal.Session;
  webhook_endpoint: Stripe.WebhookEndpoint;
  event: Stripe.Event;

  /** By coupon: the products that it is limited to. */
  coupon_products: { products: string[] };
  /** By checkout session. */
  checkout_details: CheckoutDetails;
  /** By payment intent: when a bank debit that is on its way clears. */
  debit: { clearsAt: number };
  /** By refund: when it goes on, and why it fails then; null when it arrives. */
  refund_outcome: { at: number; failure: RefundFailure | null };
  /** By webhook endpoint. */
  signing_secret: { secret: string };
  delivery: Delivery;
  /** By idempotency key. */
  idempotent_response: IdempotentResponse;
  settings: Settings;
}

/** Why a refund did not arrive, in Stripe's words. */
export type RefundFailure =
  | "declined"
  | "expired_or_canceled_card"
  | "insufficient_funds"
  | "lost_or_stolen_card"
  | "unknown";

export type RecordType = keyof Records;

/** The state of a checkout session that the API does not show. */
export interface CheckoutDetails {
  items: { id: string; price: string; quantity: number }[];
  discount: AppliedDiscount | null;
  /** When it expires by the account's clock, which may be ahead of the clock of the client. */
  expiresAt: number;
  paymentIntentData: {
    description?: string | undefined;
    metadata?: Record<string, string> | null | undefined;
    statement_descriptor_suffix?: string | undefined;
  };
  subscriptionData: {
    description?: string | undefined;
    metadata?: Record<string, string> | null | undefined;
  };
  /** What is saved on the customer of what they enter: `customer_update`. */
  saves?: { address: boolean; name: boolean };
  /** The percentage of tax that is added, once the address is known; left out, none. */
  taxPercent?: number;
  /** The card whose bank asks for authentication; `intent` is null for a subscription. */
  authenticating: { card: string; intent: string | null } | null;
  /** Why the last attempt to pay failed, for the page. */
  error: string | null;
}

/** A coupon, and the promotion code by which it was applied. */
export interface AppliedDiscount {
  coupon: string;
  promotionCode: string | null;
}

/** One delivery of an event to a webhook endpoint, repeated until it succeeds or is given up. */
export interface Delivery {
  id: string;
  event: string;
  endpoint: string;
  attempts: DeliveryAttempt[];
  /** When the next attempt is due, by the account's clock; null when none is planned. */
  dueMs: number | null;
  state: "pending" | "paused" | "delivered" | "failed";
}

export interface DeliveryAttempt {
  atMs: number;
  /** The HTTP status; 0 when there was no response. */
  status: number;
  /** The beginning of the response, or why there was none. */
  body: string;
}

/** The response that a repeated request with the same idempotency key gets. */
export interface IdempotentResponse {
  /** Hash of the request. */
  request: string;
  requestId: string;
  /** The HTTP status; left out, 200. */
  status?: number;
  body: string;
  /** Seconds since 1970. */
  createdAt: number;
}

/** What is set on the stand-in's own pages and not through the API. */
export interface Settings {
  /** How far the account's clock is ahead of the real one. */
  clockOffsetMs: number;
  /** What happens to a subscription when every retry of a payment has failed. */
  afterRetries: "cancel" | "unpaid";
  /** While true, new deliveries wait until someone sends them. */
  webhooksPaused: boolean;
  /** Whether an invoice can be voided while a debit for it is on its way. Stripe's documentation doesn't say. */
  voidsDebits?: boolean;
  /** The percentage of tax where it is calculated automatically; left out, none. */
  taxPercent?: number;
}

/** One line of an invoice; a negative amount is a credit. Times in seconds since 1970. */
export interface InvoiceLine {
  description: string;
  amount: number;
  quantity: number;
  price: string;
  /** Null when the line is not of a subscription. */
  subscriptionItem: string | null;
  period: { start: number; end: number };
  proration: boolean;
}
