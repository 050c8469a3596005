import type { Stripe } from "stripe";

import { type Account, wrongState } from "./account";
import {
  askBank,
  debitOutcome,
  type Decline,
  NOT_AUTHENTICATED,
  type Presence,
} from "./payment-methods";
import { createCharge } from "./charges";
import { endpoint, pageOf } from "./endpoint";
import { newId } from "./ids";
import {
  type Every,
  mergeMetadata,
  metadata,
  notHere,
  oneOf,
  paging,
  range,
  text,
} from "./parameters";

const toUpdate = {
  description: text(),
  metadata,
  ...notHere(
    "allowed_payment_method_types",
    "amount",
    "amount_details",
    "application_fee_amount",
    "capture_method",
    "currency",
    "customer",
    "customer_account",
    "excluded_payment_method_types",
    "hooks",
    "payment_details",
    "payment_method",
    "payment_method_configuration",
    "payment_method_data",
    "payment_method_options",
    "receipt_email",
    "setup_future_usage",
    "shipping",
    "statement_descriptor",
    "statement_descriptor_suffix",
    "transfer_data",
    "transfer_group",
  ),
} satisfies Every<Stripe.PaymentIntentUpdateParams>;

const toList = {
  ...paging,
  created: range,
  customer: text(),
  ...notHere("customer_account"),
} satisfies Every<Stripe.PaymentIntentListParams>;

const toCancel = {
  cancellation_reason: oneOf("abandoned", "duplicate", "fraudulent", "requested_by_customer"),
} satisfies Every<Stripe.PaymentIntentCancelParams>;

interface NewIntent {
  amount: number;
  currency: string;
  customer: string | null;
  description?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  receipt_email?: string | null | undefined;
  setup_future_usage?: Stripe.PaymentIntent.SetupFutureUsage | null | undefined;
  statement_descriptor_suffix?: string | null | undefined;
}

/** A payment to be made; hosted pages and invoices make them, the API's own creation is not played here. */
export function createIntent(account: Account, given: NewIntent): Stripe.PaymentIntent {
  const id = newId("pi");
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
      automatic_payment_methods: null,
      canceled_at: null,
      cancellation_reason: null,
      capture_method: "automatic_async",
      client_secret: newId(`${id}_secret`),
      confirmation_method: "automatic",
      created: account.now,
      currency: given.currency,
      customer: given.customer,
      customer_account: null,
      description: given.description ?? null,
      excluded_payment_method_types: null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      managed_payments: null,
      metadata: mergeMetadata(null, given.metadata),
      next_action: null,
      on_behalf_of: null,
      payment_method: null,
      payment_method_configuration_details: null,
      payment_method_options: {},
      payment_method_types: ["card"],
      payment_record: null,
      processing: null,
      receipt_email: given.receipt_email ?? null,
      review: null,
      setup_future_usage: given.setup_future_usage ?? null,
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

/** Tries to pay with a card. The intent says by its status how that went. */
export function payIntent(
  account: Account,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  person: Presence,
): Stripe.PaymentIntent {
  const says = askBank(card, person);
  if (says === "charged") return charged(account, intent, card);
  if (says === "under way") return debited(account, intent, card);
  if (says !== "asks") return declined(account, intent, card, says);
  return account.save(
    "payment_intent",
    {
      ...intent,
      last_payment_error: null,
      next_action: { type: "use_stripe_sdk", use_stripe_sdk: {} },
      payment_method: card.id,
      status: "requires_action",
    },
    "payment_intent.requires_action",
  );
}

/** The person has answered the bank's question, or refused to. */
export function authenticateIntent(
  account: Account,
  intent: Stripe.PaymentIntent,
  confirmed: boolean,
): Stripe.PaymentIntent {
  const card = account.find("payment_method", intent.payment_method as string);
  return confirmed
    ? charged(account, intent, card)
    : declined(account, intent, card, NOT_AUTHENTICATED);
}

const DEBIT_TAKES_S = 3 * 86_400;

/** The debit is on its way through the banks. */
function debited(
  account: Account,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
): Stripe.PaymentIntent {
  account.store.put("debit", intent.id, { clearsAt: account.now + DEBIT_TAKES_S });
  return account.save(
    "payment_intent",
    {
      ...intent,
      last_payment_error: null,
      next_action: null,
      payment_method: method.id,
      payment_method_types: ["card", "us_bank_account"],
      status: "processing",
    },
    "payment_intent.processing",
  );
}

/** The debits that the banks are done with by then, and what that does to their payments. */
export function debitsDue(
  account: Account,
  then: (intent: Stripe.PaymentIntent) => void,
): { at: number; happen: () => void }[] {
  return account.store
    .all("payment_intent")
    .filter((intent) => intent.status === "processing")
    .map((intent) => ({
      at: account.find("debit", intent.id).clearsAt,
      happen: () => then(clearDebit(account, intent)),
    }));
}

function clearDebit(account: Account, intent: Stripe.PaymentIntent): Stripe.PaymentIntent {
  const method = account.find("payment_method", intent.payment_method as string);
  const outcome = debitOutcome(method);
  account.store.remove("debit", intent.id);
  return outcome === "charged"
    ? charged(account, intent, method)
    : declined(account, intent, method, outcome);
}

function charged(
  account: Account,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
): Stripe.PaymentIntent {
  const charge = createCharge(account, intent, card);
  return account.save(
    "payment_intent",
    {
      ...intent,
      amount_received: intent.amount,
      last_payment_error: null,
      latest_charge: charge.id,
      next_action: null,
      payment_method: card.id,
      status: "succeeded",
    },
    "payment_intent.succeeded",
  );
}

function declined(
  account: Account,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  decline: Decline,
): Stripe.PaymentIntent {
  const charge =
    decline === NOT_AUTHENTICATED ? undefined : createCharge(account, intent, card, decline);
  return account.save(
    "payment_intent",
    {
      ...intent,
      last_payment_error: {
        ...decline,
        ...(charge ? { charge: charge.id } : {}),
        payment_method: card,
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

export function cancelIntent(
  account: Account,
  intent: Stripe.PaymentIntent,
  reason: Stripe.PaymentIntent.CancellationReason | null,
): Stripe.PaymentIntent {
  if (intent.status === "succeeded" || intent.status === "canceled") {
    throw wrongState(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the ` +
        "following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.",
      "payment_intent_unexpected_state",
    );
  }
  return account.save(
    "payment_intent",
    {
      ...intent,
      canceled_at: account.now,
      cancellation_reason: reason,
      next_action: null,
      status: "canceled",
    },
    "payment_intent.canceled",
  );
}

export const paymentIntents = [
  endpoint("GET /v1/payment_intents", toList, ({ account, given }) => {
    const found = account.store
      .all("payment_intent")
      .filter(
        (one) =>
          (given.customer === undefined || one.customer === given.customer) &&
          (given.created?.(one.created) ?? true),
      );
    return pageOf(found, "/v1/payment_intents", given);
  }),
  endpoint("GET /v1/payment_intents/:id", { client_secret: text() }, ({ account, id }) =>
    account.find("payment_intent", id),
  ),
  endpoint("POST /v1/payment_intents/:id", toUpdate, ({ account, id, given }) => {
    const old = account.find("payment_intent", id);
    return account.save("payment_intent", {
      ...old,
      description: given.description ?? old.description,
      metadata: mergeMetadata(old.metadata, given.metadata),
    });
  }),
  endpoint("POST /v1/payment_intents/:id/cancel", toCancel, ({ account, id, given }) =>
    cancelIntent(account, account.find("payment_intent", id), given.cancellation_reason ?? null),
  ),
];
