import type { Stripe } from "stripe";

import type { Account } from "./account";
import { billNow } from "./billing-cycle";
import {
  askBank,
  attachMethod,
  createMethod,
  NOT_AUTHENTICATED,
  type TestMethodName,
} from "./payment-methods";
import { type CheckoutDetails, proveDiscount, sumOf } from "./checkout-details";
import { detailsOf, withSum } from "./checkout-sessions";
import { redeem } from "./coupons";
import { createCustomer } from "./customers";
import { idOf } from "./ids";
import { authenticateIntent, createIntent, payIntent } from "./payment-intents";
import { activeCode } from "./promotion-codes";
import { Refusal } from "./refusal";
import { createSubscription, periodLines } from "./subscriptions";

/** How a person's try to pay went: paid, the bank wants to hear from them, or it did not work, which the page says. */
export type Outcome = "paid" | "asks" | "refused";

interface Person {
  email: string | null;
  name: string | null;
}

type Session = Stripe.Checkout.Session;

/** The person on the hosted page presses "Pay" with a card of their choice. */
export function pay(
  account: Account,
  session: Session,
  cardName: TestMethodName,
  person: Person,
): Outcome {
  const details = account.find("checkout", session.id);
  const known: Session = { ...session, customer_details: detailsOf(person.email, person.name) };
  const { total } = sumOf(account, details);
  if (session.mode === "payment" && total === 0) {
    complete(account, { ...known, payment_status: "no_payment_required" }, details);
    return "paid";
  }
  const card = createMethod(account, cardName, person);
  if (session.mode === "payment") return payOnce(account, known, details, card, total);

  const says = askBank(card, "there");
  if (says === "charged") {
    subscribe(account, known, details, card);
    return "paid";
  }
  if (says === "asks") {
    account.save("checkout.session", known);
    waitFor(account, session.id, details, { card: card.id, intent: null });
    return "asks";
  }
  if (says === "under way")
    throw new Refusal("The local stand-in for Stripe takes cards alone for a plan.");
  // Nobody is subscribed before the first payment; the bank's refusal is told all the same.
  const intent = createIntent(account, {
    amount: total,
    currency: "usd",
    customer: idOf(session.customer),
  });
  payIntent(account, intent, card, "there");
  return refused(account, known, details, says.message);
}

/** The person has answered their bank's question. */
export function authenticate(account: Account, session: Session, confirmed: boolean): Outcome {
  const details = account.find("checkout", session.id);
  if (!details.awaiting) throw new Refusal("This checkout does not wait for a confirmation.");
  const card = account.find("payment_method", details.awaiting.card);
  const settled: CheckoutDetails = { ...details, awaiting: null };
  if (details.awaiting.intent === null) {
    if (!confirmed) return refused(account, session, settled, NOT_AUTHENTICATED.message);
    subscribe(account, session, settled, card);
    return "paid";
  }
  const intent = authenticateIntent(
    account,
    account.find("payment_intent", details.awaiting.intent),
    confirmed,
  );
  if (intent.status !== "succeeded")
    return refused(account, session, settled, NOT_AUTHENTICATED.message);
  complete(account, { ...session, payment_intent: intent.id, payment_status: "paid" }, settled);
  return "paid";
}

/** The person types a promotion code, or takes it back with an empty one. */
export function enterCode(account: Account, session: Session, spelling: string): Session {
  const details = account.find("checkout", session.id);
  if (session.allow_promotion_codes !== true)
    throw new Refusal("This checkout takes no promotion codes.");
  let discount: CheckoutDetails["discount"] = null;
  if (spelling.trim() !== "") {
    const code = activeCode(account, spelling);
    if (!code) throw new Refusal("This code is invalid.");
    discount = { coupon: idOf(code.promotion.coupon)!, promotionCode: code.id };
  }
  const changed = { ...details, discount };
  proveDiscount(account, changed, idOf(session.customer));
  account.store.put("checkout", session.id, changed);
  return account.save("checkout.session", withSum(account, session));
}

function payOnce(
  account: Account,
  session: Session,
  details: CheckoutDetails,
  card: Stripe.PaymentMethod,
  total: number,
): Outcome {
  const customer =
    session.customer_creation === "always" ? newCustomer(account, session) : idOf(session.customer);
  const running = idOf(session.payment_intent);
  const intent =
    running === null
      ? createIntent(account, {
          amount: total,
          currency: "usd",
          customer,
          description: details.paymentIntentData.description,
          metadata: details.paymentIntentData.metadata,
          receipt_email: details.paymentIntentData.receipt_email,
          setup_future_usage: details.paymentIntentData.setup_future_usage,
          statement_descriptor_suffix: details.paymentIntentData.statement_descriptor_suffix,
        })
      : account.save("payment_intent", {
          ...account.find("payment_intent", running),
          amount: total,
        });
  const known: Session = { ...session, customer, payment_intent: intent.id };
  const after = payIntent(account, intent, card, "there");
  if (after.status === "succeeded" || after.status === "processing") {
    complete(
      account,
      { ...known, payment_status: after.status === "succeeded" ? "paid" : "unpaid" },
      details,
    );
    return "paid";
  }
  if (after.status === "requires_action") {
    account.save("checkout.session", known);
    waitFor(account, session.id, details, { card: card.id, intent: intent.id });
    return "asks";
  }
  return refused(
    account,
    known,
    details,
    after.last_payment_error?.message ?? "Your card was declined.",
  );
}

/** A debit has gone through the banks, or has not: the checkout that began it tells how. */
export function tellOfDebit(account: Account, intent: Stripe.PaymentIntent): void {
  const session = account.store
    .all("checkout.session")
    .find((one) => one.payment_intent === intent.id);
  if (!session) return;
  const paid = intent.status === "succeeded";
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
  card: Stripe.PaymentMethod,
): void {
  const customer = idOf(session.customer) ?? newCustomer(account, session);
  attachMethod(account, card, customer);
  const { discount } = details;
  const subscription = createSubscription(account, {
    customer,
    card: card.id,
    items: details.items.map((item) => ({
      price: account.find("price", item.price),
      quantity: item.quantity,
    })),
    metadata: details.subscriptionData.metadata,
    description: details.subscriptionData.description,
    discount: discount
      ? {
          coupon: account.find("coupon", discount.coupon),
          promotionCode: discount.promotionCode,
          session: session.id,
        }
      : undefined,
  });
  const billed = billNow(
    account,
    subscription,
    "subscription_create",
    periodLines(account, subscription),
    "has confirmed",
  );
  complete(
    account,
    {
      ...session,
      customer,
      subscription: subscription.id,
      invoice: billed.invoice.id,
      payment_status: "paid",
    },
    details,
  );
}

function newCustomer(account: Account, session: Session): string {
  const { email = null, name = null } = session.customer_details ?? {};
  return createCustomer(account, { email, name }).id;
}

function complete(account: Account, session: Session, details: CheckoutDetails): void {
  if (details.discount) {
    redeem(account, account.find("coupon", details.discount.coupon));
    const code =
      details.discount.promotionCode === null
        ? undefined
        : account.find("promotion_code", details.discount.promotionCode);
    if (code) account.save("promotion_code", { ...code, times_redeemed: code.times_redeemed + 1 });
  }
  account.store.put("checkout", session.id, { ...details, awaiting: null, trouble: null });
  account.save(
    "checkout.session",
    { ...session, status: "complete", url: null },
    "checkout.session.completed",
  );
}

function refused(
  account: Account,
  session: Session,
  details: CheckoutDetails,
  trouble: string,
): Outcome {
  account.save("checkout.session", session);
  account.store.put("checkout", session.id, { ...details, awaiting: null, trouble });
  return "refused";
}

function waitFor(
  account: Account,
  session: string,
  details: CheckoutDetails,
  awaiting: CheckoutDetails["awaiting"],
): void {
  account.store.put("checkout", session, { ...details, awaiting, trouble: null });
}
