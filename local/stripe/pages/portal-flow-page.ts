import type { Stripe } from "stripe";

import { markup } from "../../html";
import { ApiError } from "../api-error";
import { periodEnd } from "../subscriptions";
import { buttonForm, formatDay, page } from "./page";
import {
  aboutPlan,
  cardForm,
  findSubscription,
  planChoice,
  planName,
  type Portal,
  stateLabel,
} from "./portal-view";

type Flow = Stripe.BillingPortal.Session.Flow;

const STEP: Record<string, string> = {
  payment_method_update: "change-card",
  subscription_cancel: "cancel",
  subscription_update: "change-plan",
};

const subscriptionOf = (flow: Flow): string =>
  flow.subscription_cancel?.subscription ?? flow.subscription_update?.subscription ?? "";

/** The one thing to do here; null once it is done, if the rest of the portal is then shown. */
export function activeFlow({ session }: Portal, query: URLSearchParams): Flow | null {
  const { flow } = session;
  return flow?.after_completion.type === "portal_homepage" && query.has("done") ? null : flow;
}

/** @throws ApiError when a flow that never shows the rest of the portal is about something else */
export function checkFlow({ session }: Portal, step: string, subscription: string): void {
  const { flow } = session;
  if (!flow || flow.after_completion.type === "portal_homepage") return;
  if (STEP[flow.type] !== step || subscriptionOf(flow) !== subscription)
    throw new ApiError("This billing page doesn’t offer that.");
}

/** Where a flow leads when it is done; null for a page of the portal. */
export function afterFlow({ session }: Portal): string | null {
  return session.flow?.after_completion.redirect?.return_url ?? null;
}

/** The page of a flow: one action, without the rest of the portal. */
export function flowPage(portal: Portal, query: URLSearchParams, error?: string): Response {
  const { session } = portal;
  const flow = session.flow!;
  const back = session.return_url;
  const shell = (title: string, body: ReturnType<typeof markup>): Response =>
    page(
      title,
      markup`${back && markup`<p><a href="${back}">Go back</a></p>`}
      <h1>${title}</h1>
      ${error && markup`<p class="wrong" role="alert">${error}</p>`}
      ${body}`,
      { redirectsTo: [back, afterFlow(portal)] },
    );

  if (query.has("done")) {
    const message = flow.after_completion.hosted_confirmation?.custom_message;
    return shell("Done", markup`<p>${message ?? "Your change is saved."}</p>`);
  }
  if (flow.type === "payment_method_update") return shell("Payment method", cardForm(portal));

  const subscription = findSubscription(portal, subscriptionOf(flow));
  if (!subscription) return shell("Plan", markup`<p>This plan has ended.</p>`);
  const name = planName(portal.account, subscription);
  if (subscription.cancel_at !== null)
    return shell(name, markup`<p>${stateLabel(subscription)}</p>`);
  if (flow.type === "subscription_cancel") {
    return shell(
      `Cancel ${name}?`,
      markup`<p>It stays active until ${formatDay(periodEnd(subscription))}. You won’t be charged again.</p>
      ${buttonForm(`${portal.path}/cancel?subscription=${subscription.id}`, "Cancel plan", { main: true })}`,
    );
  }
  const about = aboutPlan(portal.account, subscription);
  return shell(
    "Change plan",
    markup`<p>${about}</p>
    ${planChoice(portal, subscription, about) || markup`<p>There are no other plans.</p>`}`,
  );
}
