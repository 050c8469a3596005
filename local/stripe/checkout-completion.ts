import type { Stripe } from "stripe";

import type { Account, DueTask } from "./account";
import { ApiError } from "./api-error";
import { billFirstPeriod, settleDebit } from "./billing";
import { type CheckoutEntries, saveEntries, withEntries } from "./checkout-entries";
import { withInvoice } from "./checkout-invoice";
import { withTotals } from "./checkout-sessions";
import { checkDiscount, totalsOf } from "./checkout-totals";
import { findPromotionCode } from "./coupons";
import { idOf } from "./ids";
import { newMetadata } from "./metadata";
import {
  authenticatePaymentIntent,
  clearDebit,
  confirmPaymentIntent,
  createPaymentIntent,
} from "./payment-intents";
import {
  attachPaymentMethod,
  authorizeCharge,
  createPaymentMethod,
  NOT_AUTHENTICATED,
  TEST_METHODS,
  type TestMethodName,
} from "./payment-methods";
import type { AppliedDiscount, CheckoutDetails } from "./records";
import { createSubscription } from "./subscriptions";
import { taxPercent } from "./tax";

/**
 * How an attempt to pay ended. After "declined", the page shows the error in the checkout's
 * details.
 */
type Outcome = "paid" | "authentication_required" | "declined";

type Session = Stripe.Checkout.Session;

/** The customer presses "Pay" on the hosted page. */
export function pay(
  account: Account,
  session: Session,
  methodName: TestMethodName,
  entries: CheckoutEntries,
): Outcome {
  if (!session.payment_method_types.includes(TEST_METHODS[methodName].type))
    throw new ApiError("This checkout doesn’t accept that payment method.");
  const entered = withEntries(session, entries);
  const details = account.store.put("checkout_details", session.id, {
    ...account.get("checkout_details", session.id),
    taxPercent: taxPercent(account, session.automatic_tax),
  });
  const named = withTotals(account, entered);
  const email = session.customer_details?.email ?? null;
  const { total } = totalsOf(account, details);
  if (session.mode === "payment" && total === 0) {
    complete(account, { ...named, payment_status: "no_payment_required" }, details);
    return "paid";
  }
  const method = createPaymentMethod(account, methodName, { email, name: entries.name });
  if (session.mode === "payment") return payOnce(account, named, details, method, total);

  const answer = authorizeCharge(method, "on_session");
  if (answer === "approved" || answer === "processing") {
    subscribe(account, named, details, method);
    return "paid";
  }
  if (answer === "authentication_required")
    return awaitAuthentication(account, named, details, { card: method.id, intent: null });
  // There is no subscription before its first payment; the decline is recorded all the same.
  const intent = createPaymentIntent(account, { amount: total, customer: idOf(session.customer) });
  confirmPaymentIntent(account, intent, method, "on_session");
  return decline(account, named, details, answer.message);
}

/** The customer has confirmed the payment to their bank, or refused to. */
export function authenticate(account: Account, session: Session, confirmed: boolean): Outcome {
  const details = account.get("checkout_details", session.id);
  if (!details.authenticating)
    throw new ApiError("This checkout isn’t waiting for a confirmation.");
  const { card, intent: intentId } = details.authenticating;
  if (intentId === null) {
    if (!confirmed) return decline(account, session, details, NOT_AUTHENTICATED.message);
    subscribe(account, session, details, account.get("payment_method", card));
    return "paid";
  }
  const pending = account.get("payment_intent", intentId);
  const intent = authenticatePaymentIntent(account, pending, confirmed);
  if (intent.status !== "succeeded")
    return decline(account, session, details, NOT_AUTHENTICATED.message);
  completePaid(account, session, details, intent);
  return "paid";
}

/** The customer types a promotion code, or removes it with an empty one. */
export function applyPromotionCode(account: Account, session: Session, typed: string): Session {
  if (session.allow_promotion_codes !== true)
    throw new ApiError("This checkout doesn’t accept promotion codes.");
  let discount: AppliedDiscount | null = null;
  if (typed.trim() !== "") {
    const code = findPromotionCode(account, typed);
    if (!code) throw new ApiError("This code is invalid.");
    discount = { coupon: idOf(code.promotion.coupon)!, promotionCode: code.id };
  }
  const details = { ...account.get("checkout_details", session.id), discount };
  checkDiscount(account, details);
  account.store.put("checkout_details", session.id, details);
  return account.save("checkout.session", withTotals(account, session));
}

function payOnce(
  account: Account,
  session: Session,
  details: CheckoutDetails,
  method: Stripe.PaymentMethod,
  total: number,
): Outcome {
  const earlier = idOf(session.payment_intent);
  const intent =
    earlier === null
      ? createPaymentIntent(account, {
          amount: total,
          customer: idOf(session.customer),
          ...details.paymentIntentData,
        })
      : account.save("payment_intent", {
          ...account.get("payment_intent", earlier),
          amount: total,
        });
  const started: Session = { ...session, payment_intent: intent.id };
  const { status, last_payment_error: error } = confirmPaymentIntent(
    account,
    intent,
    method,
    "on_session",
  );
  if (status === "succeeded") {
    completePaid(account, started, details, account.get("payment_intent", intent.id));
    return "paid";
  }
  if (status === "processing") {
    complete(account, { ...started, payment_status: "unpaid" }, details);
    return "paid";
  }
  if (status === "requires_action")
    return awaitAuthentication(account, started, details, { card: method.id, intent: intent.id });
  return decline(account, started, details, error?.message ?? "Your card was declined.");
}

/** Bank debits clear by themselves; the checkout that began one reports how it ended. */
export function dueDebits(account: Account): DueTask[] {
  return account.store
    .all("payment_intent")
    .filter((intent) => intent.status === "processing")
    .map((intent) => ({
      at: account.get("debit", intent.id).clearsAt,
      run: () => reportDebit(account, clearDebit(account, intent)),
    }));
}

/** A debit has ended: its invoice, if it has one, and the checkout that began it, learn how. */
function reportDebit(account: Account, intent: Stripe.PaymentIntent): void {
  const invoice = settleDebit(account, intent);
  const session = account.store
    .all("checkout.session")
    .find(
      (one) =>
        one.payment_intent === intent.id ||
        (one.mode === "subscription" && invoice !== null && one.invoice === invoice),
    );
  // The debit of a renewal has no checkout, and one that is tried again has reported already.
  if (session?.payment_status !== "unpaid") return;
  if (intent.status !== "succeeded") {
    account.save("checkout.session", session, "checkout.session.async_payment_failed");
    return;
  }
  const details = account.get("checkout_details", session.id);
  const paid =
    session.mode === "payment" ? withInvoice(account, session, details, intent) : session;
  account.save(
    "checkout.session",
    { ...paid, payment_status: "paid" },
    "checkout.session.async_payment_succeeded",
  );
}

function subscribe(
  account: Account,
  session: Session,
  details: CheckoutDetails,
  method: Stripe.PaymentMethod,
): void {
  const customer = idOf(session.customer)!;
  saveEntries(account, session, details);
  attachPaymentMethod(account, method, customer);
  const subscription = createSubscription(account, {
    customer,
    paymentMethod: method.id,
    items: details.items.map((item) => ({
      price: account.get("price", item.price),
      quantity: item.quantity,
    })),
    automaticTax: session.automatic_tax.enabled,
    description: details.subscriptionData.description,
    metadata: newMetadata(details.subscriptionData.metadata),
    discount: details.discount ? { ...details.discount, session: session.id } : undefined,
  });
  const { invoice } = billFirstPeriod(account, subscription);
  complete(
    account,
    {
      ...session,
      subscription: subscription.id,
      invoice: invoice.id,
      // A bank debit is on its way: the subscription is active all the same.
      payment_status: invoice.status === "paid" ? "paid" : "unpaid",
    },
    details,
  );
}

/** Completes a one-time payment that has succeeded. */
function completePaid(
  account: Account,
  session: Session,
  details: CheckoutDetails,
  intent: Stripe.PaymentIntent,
): void {
  saveEntries(account, session, details);
  const paid: Session = { ...session, payment_intent: intent.id, payment_status: "paid" };
  complete(account, withInvoice(account, paid, details, intent), details);
}

function complete(account: Account, session: Session, details: CheckoutDetails): void {
  account.store.put("checkout_details", session.id, {
    ...details,
    authenticating: null,
    error: null,
  });
  account.save(
    "checkout.session",
    { ...session, status: "complete", url: null },
    "checkout.session.completed",
  );
}

function decline(
  account: Account,
  session: Session,
  details: CheckoutDetails,
  error: string,
): Outcome {
  account.save("checkout.session", session);
  account.store.put("checkout_details", session.id, { ...details, authenticating: null, error });
  return "declined";
}

function awaitAuthentication(
  account: Account,
  session: Session,
  details: CheckoutDetails,
  authenticating: CheckoutDetails["authenticating"],
): Outcome {
  account.save("checkout.session", session);
  account.store.put("checkout_details", session.id, { ...details, authenticating, error: null });
  return "authentication_required";
}
