import type { Stripe } from "stripe";

import type { Account, DueTask } from "./account";
import { ApiError } from "./api-error";
import { billFirstPeriod } from "./billing";
import { customerDetails, withTotals } from "./checkout-sessions";
import { checkDiscount, totalsOf } from "./checkout-totals";
import { findPromotionCode } from "./coupons";
import { idOf } from "./ids";
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
  type TestMethodName,
} from "./payment-methods";
import type { AppliedDiscount, CheckoutDetails } from "./records";
import { createSubscription } from "./subscriptions";

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
  name: string | null,
): Outcome {
  const details = account.get("checkout_details", session.id);
  const email = session.customer_details?.email ?? null;
  const named: Session = { ...session, customer_details: customerDetails(email, name) };
  const { total } = totalsOf(account, details);
  if (session.mode === "payment" && total === 0) {
    complete(account, { ...named, payment_status: "no_payment_required" }, details);
    return "paid";
  }
  const method = createPaymentMethod(account, methodName, { email, name });
  if (session.mode === "payment") return payOnce(account, named, details, method, total);

  const answer = authorizeCharge(method, "on_session");
  if (answer === "approved") {
    subscribe(account, named, details, method);
    return "paid";
  }
  if (answer === "authentication_required")
    return awaitAuthentication(account, named, details, { card: method.id, intent: null });
  if (answer === "processing")
    throw new ApiError("The local stand-in for Stripe takes cards alone for a plan.");
  // There is no subscription before its first payment; the decline is recorded all the same.
  const intent = createPaymentIntent(account, { amount: total, customer: idOf(session.customer) });
  confirmPaymentIntent(account, intent, method, "on_session");
  return decline(account, named, details, answer.message);
}

/** The customer has confirmed the payment to their bank, or refused to. */
export function authenticate(account: Account, session: Session, confirmed: boolean): Outcome {
  const details = account.get("checkout_details", session.id);
  if (!details.authenticating)
    throw new ApiError("This checkout does not wait for a confirmation.");
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
  complete(account, { ...session, payment_intent: intent.id, payment_status: "paid" }, details);
  return "paid";
}

/** The customer types a promotion code, or removes it with an empty one. */
export function applyPromotionCode(account: Account, session: Session, typed: string): Session {
  if (session.allow_promotion_codes !== true)
    throw new ApiError("This checkout takes no promotion codes.");
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
  if (status === "succeeded" || status === "processing") {
    const payment_status = status === "succeeded" ? "paid" : "unpaid";
    complete(account, { ...started, payment_status }, details);
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

function reportDebit(account: Account, { id, status }: Stripe.PaymentIntent): void {
  const session = account.store.all("checkout.session").find((one) => one.payment_intent === id);
  if (!session) return;
  const paid = status === "succeeded";
  account.save(
    "checkout.session",
    { ...session, payment_status: paid ? "paid" : "unpaid" },
    paid ? "checkout.session.async_payment_succeeded" : "checkout.session.async_payment_failed",
  );
}

function subscribe(
  account: Account,
  session: Session,
  details: CheckoutDetails,
  method: Stripe.PaymentMethod,
): void {
  const customer = idOf(session.customer)!;
  attachPaymentMethod(account, method, customer);
  const subscription = createSubscription(account, {
    customer,
    paymentMethod: method.id,
    items: details.items.map((item) => ({
      price: account.get("price", item.price),
      quantity: item.quantity,
    })),
    metadata: details.subscriptionData.metadata ?? {},
    discount: details.discount ? { ...details.discount, session: session.id } : undefined,
  });
  const { invoice } = billFirstPeriod(account, subscription);
  complete(
    account,
    {
      ...session,
      subscription: subscription.id,
      invoice: invoice.id,
      payment_status: "paid",
    },
    details,
  );
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
