import type { Stripe } from "stripe";

import type { Account } from "./account";
import { createCharge } from "./charges";
import { newId } from "./ids";
import { newMetadata } from "./metadata";
import {
  authorizeCharge,
  debitOutcome,
  type Decline,
  NOT_AUTHENTICATED,
  type Presence,
} from "./payment-methods";

interface NewPaymentIntent {
  id?: string;
  amount: number;
  automatic_payment_methods?:
    { allow_redirects?: "never" | undefined; enabled: boolean } | undefined;
  customer: string | null;
  description?: string | undefined;
  metadata?: Record<string, string> | null | undefined;
  statement_descriptor_suffix?: string | undefined;
}

/** A payment to be made. The hosted pages and invoices create them; the API cannot. */
export function createPaymentIntent(
  account: Account,
  given: NewPaymentIntent,
): Stripe.PaymentIntent {
  const id = given.id ?? newId("pi");
  return account.save(
    "payment_intent",
    {
      id,
      object: "payment_intent",
      allowed_payment_method_types: null,
      amount: given.amount,
      amount_capturable: 0,
      amount_details: { tip: {} },
      amount_received: 0,
      application: null,
      application_fee_amount: null,
      automatic_payment_methods: given.automatic_payment_methods ?? null,
      canceled_at: null,
      cancellation_reason: null,
      capture_method: "automatic_async",
      client_secret: newId(`${id}_secret`),
      confirmation_method: "automatic",
      created: account.now,
      currency: "usd",
      customer: given.customer,
      customer_account: null,
      description: given.description ?? null,
      excluded_payment_method_types: null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      managed_payments: null,
      metadata: newMetadata(given.metadata),
      next_action: null,
      on_behalf_of: null,
      payment_method: null,
      payment_method_configuration_details: null,
      payment_method_options: {},
      payment_method_types: ["card"],
      payment_record: null,
      processing: null,
      receipt_email: null,
      review: null,
      setup_future_usage: null,
      shipping: null,
      source: null,
      statement_descriptor: null,
      statement_descriptor_suffix: given.statement_descriptor_suffix ?? null,
      status: "requires_payment_method",
      transfer_group: null,
    },
    "payment_intent.created",
  );
}

/** Tries to pay with a payment method. The status of the result shows how that went. */
export function confirmPaymentIntent(
  account: Account,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  presence: Presence,
): Stripe.PaymentIntent {
  const answer = authorizeCharge(method, presence);
  if (answer === "approved") return charged(account, intent, method);
  if (answer === "processing") return debited(account, intent, method);
  if (answer !== "authentication_required") return declined(account, intent, method, answer);
  return account.save(
    "payment_intent",
    {
      ...intent,
      last_payment_error: null,
      next_action: { type: "use_stripe_sdk", use_stripe_sdk: {} },
      payment_method: method.id,
      status: "requires_action",
    },
    "payment_intent.requires_action",
  );
}

/** The customer has confirmed the payment to their bank, or refused to. */
export function authenticatePaymentIntent(
  account: Account,
  intent: Stripe.PaymentIntent,
  confirmed: boolean,
): Stripe.PaymentIntent {
  const method = account.get("payment_method", intent.payment_method as string);
  return confirmed
    ? charged(account, intent, method)
    : declined(account, intent, method, NOT_AUTHENTICATED);
}

const DEBIT_DURATION_S = 3 * 86_400;

function debited(
  account: Account,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
): Stripe.PaymentIntent {
  account.store.put("debit", intent.id, { clearsAt: account.now + DEBIT_DURATION_S });
  const charge = createCharge(account, intent, method, "pending");
  return account.save(
    "payment_intent",
    {
      ...intent,
      last_payment_error: null,
      latest_charge: charge.id,
      next_action: null,
      payment_method: method.id,
      payment_method_types: ["card", "us_bank_account"],
      status: "processing",
    },
    "payment_intent.processing",
  );
}

/** Ends a bank debit: the payment succeeds or fails. */
export function clearDebit(account: Account, intent: Stripe.PaymentIntent): Stripe.PaymentIntent {
  const method = account.get("payment_method", intent.payment_method as string);
  const outcome = debitOutcome(method);
  account.store.remove("debit", intent.id);
  return outcome === "approved"
    ? charged(account, intent, method)
    : declined(account, intent, method, outcome);
}

function charged(
  account: Account,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
): Stripe.PaymentIntent {
  const charge = createCharge(account, intent, method, "succeeded");
  return account.save(
    "payment_intent",
    {
      ...intent,
      amount_received: intent.amount,
      last_payment_error: null,
      latest_charge: charge.id,
      next_action: null,
      payment_method: method.id,
      status: "succeeded",
    },
    "payment_intent.succeeded",
  );
}

function declined(
  account: Account,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  decline: Decline,
): Stripe.PaymentIntent {
  const charge =
    decline === NOT_AUTHENTICATED ? undefined : createCharge(account, intent, method, decline);
  return account.save(
    "payment_intent",
    {
      ...intent,
      last_payment_error: {
        ...decline,
        ...(charge ? { charge: charge.id } : {}),
        payment_method: method,
        type: "card_error",
      },
      latest_charge: charge?.id ?? intent.latest_charge,
      next_action: null,
      payment_method: null,
      status: "requires_payment_method",
    },
    "payment_intent.payment_failed",
  );
}
