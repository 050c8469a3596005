import type { Stripe } from "stripe";

import type { Account } from "./account";
import { ApiError } from "./api-error";
import { idOf, newId } from "./ids";
import { confirmPaymentIntent, createPaymentIntent } from "./payment-intents";
import type { Presence } from "./payment-methods";

/**
 * Finalizes a draft: it gets its number, its page, and a payment intent. The customer's credit is
 * used for it; an invoice with a negative total adds to that credit.
 */
export function finalizeInvoice(account: Account, draft: Stripe.Invoice): Stripe.Invoice {
  const customer = account.customer(idOf(draft.customer)!);
  const owed = draft.total + customer.balance;
  const [due, credit] = [Math.max(0, owed), Math.min(0, owed)];
  account.store.put("customer", customer.id, { ...customer, balance: credit });
  const invoice = numberInvoice(account, {
    ...draft,
    amount_due: due,
    amount_remaining: due,
    ending_balance: credit,
    starting_balance: customer.balance,
  });
  if (invoice.amount_due > 0) createInvoicePayment(account, invoice, intentFor(account, invoice));
  return invoice;
}

/** Finalizes a draft that was paid already, with a payment intent of its own. */
export function finalizePaidInvoice(
  account: Account,
  draft: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
): Stripe.Invoice {
  const invoice = numberInvoice(account, { ...draft, ending_balance: 0 });
  const payment = createInvoicePayment(account, invoice, intent);
  return recordPayment(account, { ...invoice, attempt_count: 1 }, payment);
}

function numberInvoice(account: Account, draft: Stripe.Invoice): Stripe.Invoice {
  const customer = account.customer(idOf(draft.customer)!);
  const sequence = customer.next_invoice_sequence ?? 1;
  account.store.put("customer", customer.id, { ...customer, next_invoice_sequence: sequence + 1 });
  return account.save(
    "invoice",
    {
      ...draft,
      automatically_finalizes_at: null,
      effective_at: account.now,
      hosted_invoice_url: `${account.origin}/i/${draft.id}`,
      invoice_pdf: `${account.origin}/i/${draft.id}`,
      number: `${customer.invoice_prefix}-${String(sequence).padStart(4, "0")}`,
      status: "open",
      status_transitions: { ...draft.status_transitions, finalized_at: account.now },
    },
    "invoice.finalized",
  );
}

function intentFor(account: Account, invoice: Stripe.Invoice): Stripe.PaymentIntent {
  return createPaymentIntent(account, {
    amount: invoice.amount_due,
    customer: idOf(invoice.customer),
    description:
      invoice.billing_reason === "subscription_create"
        ? "Subscription creation"
        : "Subscription update",
  });
}

function createInvoicePayment(
  account: Account,
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
): Stripe.InvoicePayment {
  return account.save("invoice_payment", {
    id: newId("inpay"),
    object: "invoice_payment",
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: account.now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: "payment_intent", payment_intent: intent.id },
    status: "open",
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/** The payments of an invoice, newest first. */
export function paymentsOf(account: Account, invoice: string): Stripe.InvoicePayment[] {
  return account.store.all("invoice_payment").filter((one) => one.invoice === invoice);
}

/**
 * Tries to pay an open invoice.
 * @param retryAt when it is tried again if this attempt fails, in seconds; null for never
 */
export function payInvoice(
  account: Account,
  invoice: Stripe.Invoice,
  method: Stripe.PaymentMethod | undefined,
  presence: Presence,
  retryAt: number | null,
): Stripe.Invoice {
  if (invoice.status !== "open") throw new ApiError(`Invoice is ${invoice.status}.`);
  if (invoice.amount_due === 0) return markPaid(account, invoice);
  const payment = paymentsOf(account, invoice.id)[0]!;
  const intent = intentOf(account, payment);
  if (intent.status === "processing")
    throw new ApiError("The payment of this invoice is on its way.");
  const after = method ? confirmPaymentIntent(account, intent, method, presence) : intent;
  const attempted = { ...invoice, attempt_count: invoice.attempt_count + 1, attempted: true };
  if (after.status === "succeeded") return recordPayment(account, attempted, payment);
  if (after.status === "processing")
    return account.save("invoice", { ...attempted, next_payment_attempt: null });
  return recordFailure(account, attempted, retryAt);
}

/** Whether a bank debit that pays an invoice has neither arrived nor failed yet. */
export function isPaymentOnItsWay(account: Account, invoice: Stripe.Invoice): boolean {
  return paymentsOf(account, invoice.id).some(
    (payment) => intentOf(account, payment).status === "processing",
  );
}

function intentOf(account: Account, { payment }: Stripe.InvoicePayment): Stripe.PaymentIntent {
  return account.get("payment_intent", idOf(payment.payment_intent)!);
}

/** Whether an invoice that is not paid yet is finalized and charged without anyone doing anything. */
export function changeCollection(
  account: Account,
  invoice: Stripe.Invoice,
  goesOn: boolean | undefined,
): Stripe.Invoice {
  if (goesOn === undefined || goesOn === invoice.auto_advance) return invoice;
  if (invoice.status !== "draft" && invoice.status !== "open")
    throw new ApiError(`Invoice is ${invoice.status ?? "unknown"}.`);
  if (goesOn) throw new ApiError("The stand-in can only stop the collection of an invoice.");
  return account.save(
    "invoice",
    {
      ...invoice,
      auto_advance: false,
      automatically_finalizes_at: null,
      next_payment_attempt: null,
    },
    "invoice.updated",
  );
}

/** Cancels an open invoice for good. */
export function voidInvoice(account: Account, invoice: Stripe.Invoice): Stripe.Invoice {
  if (invoice.status !== "open") throw new ApiError(`Invoice is ${invoice.status}.`);
  if (isPaymentOnItsWay(account, invoice) && !account.settings.voidsDebits)
    throw new ApiError("The payment of this invoice is on its way.");
  for (const payment of paymentsOf(account, invoice.id))
    account.save("invoice_payment", {
      ...payment,
      status: "canceled",
      status_transitions: { ...payment.status_transitions, canceled_at: account.now },
    });
  // The credit that was used for it is the customer's again.
  const customer = account.customer(idOf(invoice.customer)!);
  const used = Math.max(0, (invoice.ending_balance ?? 0) - invoice.starting_balance);
  account.store.put("customer", customer.id, { ...customer, balance: customer.balance - used });
  return account.save(
    "invoice",
    {
      ...invoice,
      auto_advance: false,
      next_payment_attempt: null,
      status: "void",
      status_transitions: { ...invoice.status_transitions, voided_at: account.now },
    },
    "invoice.voided",
  );
}

/** An attempt to pay an invoice has failed; `retryAt` is null when it was the last one. */
export function recordFailure(
  account: Account,
  invoice: Stripe.Invoice,
  retryAt: number | null,
): Stripe.Invoice {
  return account.save(
    "invoice",
    { ...invoice, next_payment_attempt: retryAt },
    "invoice.payment_failed",
  );
}

/** An invoice is paid by one of its payments. */
export function recordPayment(
  account: Account,
  invoice: Stripe.Invoice,
  payment: Stripe.InvoicePayment,
): Stripe.Invoice {
  account.save(
    "invoice_payment",
    {
      ...payment,
      amount_paid: invoice.amount_due,
      status: "paid",
      status_transitions: { ...payment.status_transitions, paid_at: account.now },
    },
    "invoice_payment.paid",
  );
  return markPaid(account, invoice);
}

function markPaid(account: Account, invoice: Stripe.Invoice): Stripe.Invoice {
  const paid = account.save(
    "invoice",
    {
      ...invoice,
      amount_paid: invoice.amount_due,
      amount_remaining: 0,
      attempted: true,
      auto_advance: false,
      next_payment_attempt: null,
      status: "paid",
      status_transitions: { ...invoice.status_transitions, paid_at: account.now },
    },
    "invoice.paid",
  );
  account.recordEvent("invoice.payment_succeeded", paid);
  return paid;
}
