import type { Stripe } from "stripe";

import { type Markup, markup } from "../../html";
import type { Account } from "../account";
import { ApiError } from "../api-error";
import { parseTestMethod } from "../payment-methods";
import { changeCard, changePrice, endPeriodNow, fixCard } from "../portal-actions";
import { periodEnd, scheduleCancellation } from "../subscriptions";
import { buttonForm, formatDay, formatMoney, notFound, page, seeOther } from "./page";
import { activeFlow, afterFlow, checkFlow, flowPage } from "./portal-flow-page";
import {
  aboutPlan,
  cardForm,
  findSubscription,
  openPortal,
  planChoice,
  planName,
  type Portal,
  stateLabel,
} from "./portal-view";

/** `/p/session/:id`: a customer's subscriptions, card and invoices. */
export function portalPage(
  account: Account,
  id: string,
  query: URLSearchParams,
  error?: string,
): Response {
  const portal = openPortal(account, id);
  if (!portal) return notFound("billing page");
  if (activeFlow(portal, query)) return flowPage(portal, query, error);
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
    ${session.return_url && markup`<p><a href="${session.return_url}">Go back</a></p>`}
    <h1>Billing</h1>
    <p>Signed in as ${customer.email ?? customer.name ?? "a customer without a name"}.</p>
    ${error && markup`<p class="wrong" role="alert">${error}</p>`}
    ${current.length === 0 && markup`<p>No active plans.</p>`}
    ${current.map((one) => planCard(portal, one))}
    ${features.payment_method_update.enabled && cardForm(portal)}
    ${features.invoice_history.enabled && invoiceList(portal)}
    ${
      ended.length > 0 &&
      markup`<h2>Ended plans</h2>
      <ul>${ended.map((one) => markup`<li>${planName(account, one)}, ended ${formatDay(one.ended_at ?? one.created)}</li>`)}</ul>`
    }
    ${current.length > 0 && simulation(portal, current)}`,
    { redirectsTo: [session.return_url] },
  );
}

function planCard(portal: Portal, subscription: Stripe.Subscription): Markup {
  const { account, path, features } = portal;
  const about = aboutPlan(account, subscription);
  const canceling = subscription.cancel_at !== null;
  return markup`<section class="card" aria-label="${about}">
    <h2>${planName(account, subscription)}</h2>
    <p>${stateLabel(subscription)} <span class="soft">Started ${formatDay(subscription.created)}.</span></p>
    ${
      canceling
        ? buttonForm(`${path}/resume?subscription=${subscription.id}`, "Keep plan", { about })
        : features.subscription_cancel.enabled &&
          markup`<p><a href="${path}?cancel=${subscription.id}">Cancel plan<span class="hidden"> ${about}</span></a></p>`
    }
    ${features.subscription_update.enabled && !canceling && planChoice(portal, subscription, about)}
  </section>`;
}

function cancelPage(
  { account, path, session }: Portal,
  subscription: Stripe.Subscription,
): Response {
  return page(
    "Cancel plan",
    markup`<h1>Cancel ${planName(account, subscription)}?</h1>
    <p>It stays active until ${formatDay(periodEnd(subscription))}. You won’t be charged again.</p>
    <div class="row">
      ${buttonForm(`${path}/cancel?subscription=${subscription.id}`, "Cancel plan", { main: true })}
      <p><a href="${path}?keep=1">Keep plan</a></p>
    </div>`,
    { redirectsTo: [session.return_url] },
  );
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
    <h2 id="simulate">Simulate</h2>
    <p>These buttons aren’t Stripe’s. They do what would otherwise take months.</p>
    ${current.map((one) => {
      const about = aboutPlan(account, one);
      const act = (name: string, label: string): Markup =>
        buttonForm(`${path}/${name}?subscription=${one.id}`, label, { about });
      return markup`<h3>${about}</h3><div class="row">
        ${act("renew", one.cancel_at === null ? "End the period now and renew" : "End the period now and end the plan")}
        ${one.cancel_at === null && act("fail", "End the period now and decline the card")}
        ${(one.status === "past_due" || one.status === "unpaid") && act("fix", "Fix the card and pay what’s owed")}
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
    const subscription = query.get("subscription") ?? "";
    checkFlow(portal, step, subscription);
    account.store.transaction(() => act(portal, step, subscription, form));
  } catch (problem) {
    if (problem instanceof ApiError)
      return portalPage(account, id, new URLSearchParams("stay=1"), problem.message);
    throw problem;
  }
  await deliverWebhooks();
  return seeOther(afterFlow(portal) ?? `${portal.path}?done=${step}`);
}

function act(portal: Portal, step: string, subscriptionId: string, form: URLSearchParams): void {
  const { account, customer, features } = portal;
  if (step === "change-card" && features.payment_method_update.enabled) {
    return changeCard(account, customer.id, parseTestMethod(form.get("card")));
  }
  const subscription = findSubscription(portal, subscriptionId);
  if (!subscription) throw new ApiError("This plan has ended or isn’t yours.");
  if (step === "cancel" && features.subscription_cancel.enabled)
    scheduleCancellation(account, subscription, periodEnd(subscription));
  else if (step === "resume") scheduleCancellation(account, subscription, null);
  else if (step === "change-plan") changePlan(portal, subscription, form.get("price"));
  else if (step === "renew") endPeriodNow(account, subscription);
  else if (step === "fail") endPeriodNow(account, subscription, "declined");
  else if (step === "fix") fixCard(account, subscription);
  else throw new ApiError("This billing page doesn’t offer that.");
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
  if (!offered) throw new ApiError("This plan isn’t offered here.");
  changePrice(
    account,
    subscription,
    account.get("price", price!),
    update.proration_behavior === "always_invoice" ? "always_invoice" : "none",
  );
}
