import type { Stripe } from "stripe";

import { Markup, markup } from "../../html";
import type { Account } from "../account";
import { ApiError } from "../api-error";
import { defaultPaymentMethod } from "../customers";
import { idOf } from "../ids";
import { parseTestMethod, paymentMethodLabel, TEST_METHODS } from "../payment-methods";
import { changeCard, changePrice, endPeriodNow, fixCard } from "../portal-actions";
import { priceLabel, productName } from "../products-and-prices";
import { periodEnd, scheduleCancellation } from "../subscriptions";
import { buttonForm, formatDay, formatMoney, notFound, page, seeOther } from "./page";

type Features = Stripe.BillingPortal.Configuration.Features;

interface Portal {
  account: Account;
  path: string;
  session: Stripe.BillingPortal.Session;
  customer: Stripe.Customer;
  features: Features;
}

function openPortal(account: Account, id: string): Portal | undefined {
  const path = `/p/session/${id}`;
  const session = account.store.all("billing_portal.session").find((one) => one.url.endsWith(path));
  if (!session) return undefined;
  const { features } = account.get("billing_portal.configuration", idOf(session.configuration));
  return { account, path, session, customer: account.customer(session.customer), features };
}

/** `/p/session/:id`: a customer's subscriptions, card and invoices. */
export function portalPage(
  account: Account,
  id: string,
  query: URLSearchParams,
  error?: string,
): Response {
  const portal = openPortal(account, id);
  if (!portal) return notFound("billing page");
  const { session, customer, features } = portal;
  const toCancel = findSubscription(portal, query.get("cancel") ?? "");
  if (toCancel && features.subscription_cancel.enabled && toCancel.cancel_at === null)
    return cancelPage(portal, toCancel);

  const all = account.store.all("subscription").filter((one) => one.customer === customer.id);
  const [current, ended] = [
    all.filter((one) => one.status !== "canceled"),
    all.filter((one) => one.status === "canceled"),
  ];
  return page(
    "Billing",
    markup`
    ${session.return_url && markup`<p><a href="${session.return_url}">Back to where you came from</a></p>`}
    <h1>Billing</h1>
    <p>Signed in as ${customer.email ?? customer.name ?? "a customer without a name"}.</p>
    ${error && markup`<p class="wrong" role="alert">${error}</p>`}
    ${current.length === 0 && markup`<p>No plan is running.</p>`}
    ${current.map((one) => planCard(portal, one))}
    ${features.payment_method_update.enabled && cardForm(portal)}
    ${features.invoice_history.enabled && invoiceList(portal)}
    ${
      ended.length > 0 &&
      markup`<h2>Plans that have ended</h2>
      <ul>${ended.map((one) => markup`<li>${planName(account, one)}, ended ${formatDay(one.ended_at ?? one.created)}</li>`)}</ul>`
    }
    ${current.length > 0 && simulation(portal, current)}`,
    { redirectsTo: [session.return_url] },
  );
}

function findSubscription(
  { account, customer }: Portal,
  id: string,
): Stripe.Subscription | undefined {
  const found = account.store.find("subscription", id);
  return found?.customer === customer.id && found.status !== "canceled" ? found : undefined;
}

function planName(account: Account, subscription: Stripe.Subscription): string {
  const { price } = subscription.items.data[0]!;
  return `${productName(account, price)}, ${priceLabel(price)}`;
}

/** Subscriptions may have the same name; the date distinguishes them. */
function aboutPlan(account: Account, subscription: Stripe.Subscription): string {
  return `${planName(account, subscription)}, begun ${formatDay(subscription.created)}`;
}

function stateLabel(subscription: Stripe.Subscription): string {
  if (subscription.status === "past_due")
    return "The last payment failed. Change the card, or pay the open invoice.";
  if (subscription.status === "unpaid")
    return "No payment succeeded. Change the card, and pay the open invoice.";
  if (subscription.cancel_at !== null) return `Ends on ${formatDay(subscription.cancel_at)}.`;
  return `Renews on ${formatDay(periodEnd(subscription))}.`;
}

function planCard(portal: Portal, subscription: Stripe.Subscription): Markup {
  const { account, path, features } = portal;
  const about = aboutPlan(account, subscription);
  const canceling = subscription.cancel_at !== null;
  return markup`<section class="card" aria-label="${about}">
    <h2>${planName(account, subscription)}</h2>
    <p>${stateLabel(subscription)} <span class="soft">Begun ${formatDay(subscription.created)}.</span></p>
    ${
      canceling
        ? buttonForm(`${path}/resume?subscription=${subscription.id}`, "Do not cancel", { about })
        : features.subscription_cancel.enabled &&
          markup`<p><a href="${path}?cancel=${subscription.id}">Cancel plan<span class="hidden"> ${about}</span></a></p>`
    }
    ${features.subscription_update.enabled && !canceling && planChoice(portal, subscription, about)}
  </section>`;
}

function planChoice(
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

function cancelPage(
  { account, path, session }: Portal,
  subscription: Stripe.Subscription,
): Response {
  return page(
    "Cancel plan",
    markup`<h1>Cancel ${planName(account, subscription)}?</h1>
    <p>It stays until ${formatDay(periodEnd(subscription))} and ends then. Nothing more is charged.</p>
    <div class="row">
      ${buttonForm(`${path}/cancel?subscription=${subscription.id}`, "Cancel plan", { main: true })}
      <p><a href="${path}?keep=1">Keep it</a></p>
    </div>`,
    { redirectsTo: [session.return_url] },
  );
}

function cardForm({ account, path, customer }: Portal): Markup {
  return markup`<section class="card" aria-labelledby="card">
    <h2 id="card">Payment method</h2>
    <p>${paymentMethodLabel(cardOf(account, customer))}</p>
    <form method="post" action="${path}/change-card">
      <fieldset><legend>Use another card</legend>
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

function invoiceList({ account, customer }: Portal): Markup | false {
  const all = account.store
    .all("invoice")
    .filter((one) => one.customer === customer.id && one.status !== "draft");
  if (all.length === 0) return false;
  return markup`<section aria-labelledby="invoices"><h2 id="invoices">Invoices</h2>
    <ul class="plain">${all.map(
      (one) =>
        markup`<li><a href="/i/${one.id}">${one.number ?? one.id}</a>, ${formatDay(one.created)}: ${formatMoney(one.amount_due)}, ${one.status}</li>`,
    )}</ul></section>`;
}

function simulation({ account, path }: Portal, current: Stripe.Subscription[]): Markup {
  return markup`<section class="card apart" aria-labelledby="simulate">
    <h2 id="simulate">Let something happen</h2>
    <p>These buttons are not Stripe’s. They do what otherwise takes months.</p>
    ${current.map((one) => {
      const about = aboutPlan(account, one);
      const act = (name: string, label: string): Markup =>
        buttonForm(`${path}/${name}?subscription=${one.id}`, label, { about });
      return markup`<h3>${about}</h3><div class="row">
        ${act("renew", one.cancel_at === null ? "The period ends now: renew" : "The period ends now: end the plan")}
        ${one.cancel_at === null && act("fail", "The period ends now: the card is declined")}
        ${(one.status === "past_due" || one.status === "unpaid") && act("mend", "The card is mended, and pays what is owed")}
      </div>`;
    })}
  </section>`;
}

/** Answers a button of the portal. */
export async function submitPortal(
  account: Account,
  {
    id,
    step,
    query,
    form,
  }: { id: string; step: string; query: URLSearchParams; form: URLSearchParams },
  deliverWebhooks: () => Promise<void>,
): Promise<Response> {
  const portal = openPortal(account, id);
  if (!portal) return notFound("billing page");
  try {
    account.store.transaction(() => act(portal, step, query.get("subscription") ?? "", form));
  } catch (problem) {
    if (problem instanceof ApiError)
      return portalPage(account, id, new URLSearchParams("stay=1"), problem.message);
    throw problem;
  }
  await deliverWebhooks();
  return seeOther(`${portal.path}?done=${step}`);
}

function act(portal: Portal, step: string, subscriptionId: string, form: URLSearchParams): void {
  const { account, customer, features } = portal;
  if (step === "change-card" && features.payment_method_update.enabled) {
    return changeCard(account, customer.id, parseTestMethod(form.get("card")));
  }
  const subscription = findSubscription(portal, subscriptionId);
  if (!subscription) throw new ApiError("This plan has ended, or is somebody else’s.");
  if (step === "cancel" && features.subscription_cancel.enabled)
    scheduleCancellation(account, subscription, periodEnd(subscription));
  else if (step === "resume") scheduleCancellation(account, subscription, null);
  else if (step === "change-plan") changePlan(portal, subscription, form.get("price"));
  else if (step === "renew") endPeriodNow(account, subscription);
  else if (step === "fail") endPeriodNow(account, subscription, "declined");
  else if (step === "mend") fixCard(account, subscription);
  else throw new ApiError("This billing page does not offer that.");
}

function changePlan(
  { account, features }: Portal,
  subscription: Stripe.Subscription,
  price: string | null,
): void {
  const update = features.subscription_update;
  const offered =
    update.enabled &&
    (update.products ?? []).some((product) => price !== null && product.prices.includes(price));
  if (!offered) throw new ApiError("This plan is not offered here.");
  changePrice(
    account,
    subscription,
    account.get("price", price!),
    update.proration_behavior === "always_invoice" ? "always_invoice" : "none",
  );
}
