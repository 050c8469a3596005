import type { Stripe } from "stripe";

import { Markup, markup } from "../../html";
import type { Account } from "../account";
import { defaultPaymentMethod } from "../customers";
import { idOf } from "../ids";
import { paymentMethodLabel, TEST_METHODS } from "../payment-methods";
import { priceLabel, productName } from "../products-and-prices";
import { periodEnd } from "../subscriptions";
import { formatDay } from "./page";

type Features = Stripe.BillingPortal.Configuration.Features;

/** A billing page, and whose it is. */
export interface Portal {
  account: Account;
  path: string;
  session: Stripe.BillingPortal.Session;
  customer: Stripe.Customer;
  features: Features;
}

/** The billing page at a URL; undefined when there is none. */
export function openPortal(account: Account, id: string): Portal | undefined {
  const path = `/p/session/${id}`;
  const session = account.store.all("billing_portal.session").find((one) => one.url.endsWith(path));
  if (!session) return undefined;
  const { features } = account.get("billing_portal.configuration", idOf(session.configuration));
  return { account, path, session, customer: account.customer(session.customer), features };
}

/** A running subscription of the customer. */
export function findSubscription(
  { account, customer }: Portal,
  id: string,
): Stripe.Subscription | undefined {
  const found = account.store.find("subscription", id);
  return found?.customer === customer.id && found.status !== "canceled" ? found : undefined;
}

/** Stripe shows the description of a subscription, if it has one. */
export function planName(account: Account, subscription: Stripe.Subscription): string {
  const { price } = subscription.items.data[0]!;
  const about = subscription.description ? `${subscription.description}: ` : "";
  return `${about}${productName(account, price)}, ${priceLabel(price)}`;
}

/** Subscriptions may have the same name; the date distinguishes them. */
export function aboutPlan(account: Account, subscription: Stripe.Subscription): string {
  return `${planName(account, subscription)}, started ${formatDay(subscription.created)}`;
}

/** What happens to a plan, and what is wrong with it. */
export function stateLabel(subscription: Stripe.Subscription): string {
  if (subscription.status === "past_due")
    return "The last payment failed. Update your card or pay the open invoice.";
  if (subscription.status === "unpaid")
    return "No payment went through. Update your card and pay the open invoice.";
  if (subscription.cancel_at !== null) return `Ends on ${formatDay(subscription.cancel_at)}.`;
  return `Renews on ${formatDay(periodEnd(subscription))}.`;
}

/** The form to change to another price. */
export function planChoice(
  { account, path, features }: Portal,
  subscription: Stripe.Subscription,
  about: string,
): Markup | false {
  const currentPrice = subscription.items.data[0]!.price.id;
  const prices = (features.subscription_update.products ?? [])
    .flatMap((product) => product.prices)
    .map((id) => account.store.find("price", id))
    .filter(
      (price): price is Stripe.Price =>
        price !== undefined && price.active && price.id !== currentPrice,
    );
  if (prices.length === 0) return false;
  return markup`<form method="post" action="${path}/change-plan?subscription=${subscription.id}">
    <fieldset><legend>Change to<span class="hidden">, from ${about}</span></legend>
      ${prices.map(
        (
          price,
        ) => markup`<label class="choice"><input type="radio" name="price" value="${price.id}" required>
          <span>${productName(account, price)}, ${priceLabel(price)}</span></label>`,
      )}
    </fieldset>
    <button>Change plan<span class="hidden"> ${about}</span></button>
  </form>`;
}

/** The form to change the card. */
export function cardForm({ account, path, customer }: Portal): Markup {
  return markup`<section class="card" aria-labelledby="card">
    <h2 id="card">Payment method</h2>
    <p>${paymentMethodLabel(cardOf(account, customer))}</p>
    <form method="post" action="${path}/change-card">
      <fieldset><legend>Choose another card</legend>
        ${Object.entries(TEST_METHODS)
          .filter(([, { type }]) => type === "card")
          .map(
            ([name, card], index) => markup`<label class="choice">
            <input type="radio" name="card" value="${name}"${index === 0 && new Markup(" checked")}>
            <span>${card.label} <span class="soft">(ends in ${card.last4})</span></span></label>`,
          )}
      </fieldset>
      <button>Use this card</button>
    </form>
  </section>`;
}

function cardOf(account: Account, customer: Stripe.Customer): Stripe.PaymentMethod | undefined {
  const own = account.store
    .all("subscription")
    .filter((one) => one.customer === customer.id && one.status !== "canceled")
    .map((one) => idOf(one.default_payment_method))
    .find((id) => id !== null);
  return own ? account.store.find("payment_method", own) : defaultPaymentMethod(account, customer);
}
