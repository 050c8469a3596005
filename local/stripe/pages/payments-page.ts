import type { Stripe } from "stripe";

import { type Markup, markup } from "../../html";
import type { Account } from "../account";
import { ApiError } from "../api-error";
import { closeDispute, openDispute } from "../disputes";
import { createRefund } from "../refunds";
import { buttonForm, formatMoney, formatTime, seeOther, teamPage } from "./page";

const MAX_SHOWN = 100;

/**
 * `/payments`: the charges, with what the team can do in Stripe's dashboard, and what a bank can
 * do.
 */
export function paymentsPage(account: Account, appUrl: string | null, error?: string): Response {
  const charges = account.store.all("charge").slice(0, MAX_SHOWN);
  const rows = charges.map((charge) => row(account, charge));
  return teamPage(
    "Payments",
    appUrl,
    markup`${error && markup`<p class="wrong" role="alert">${error}</p>`}
    ${charges.length === 0 && markup`<p>No payments yet.</p>`}
    ${
      charges.length > 0 &&
      markup`<table class="cards">
      <caption>The newest ${MAX_SHOWN} payment attempts</caption>
      <thead><tr><th scope="col">When</th><th scope="col" class="amount">Amount</th><th scope="col">Customer</th><th scope="col">Status</th><th scope="col">Simulate</th></tr></thead>
      <tbody>${rows}</tbody>
    </table>`
    }`,
  );
}

function row(account: Account, charge: Stripe.Charge): Markup {
  const about = `${formatMoney(charge.amount)}, ${charge.id}`;
  return markup`<tr>
    <td data-label="When">${formatTime(charge.created)}</td>
    <td data-label="Amount" class="amount">${formatMoney(charge.amount)}</td>
    <td data-label="Customer">${charge.billing_details.email ?? "unknown"}<br><span class="soft id">${charge.id}</span></td>
    <td data-label="Status">${stateLabel(account, charge)}${charge.receipt_url && markup`<br><a href="/receipts/${charge.id}">Receipt<span class="hidden"> of ${about}</span></a>`}</td>
    <td data-label="Simulate">${actionsFor(account, charge, about)}</td>
  </tr>`;
}

function findDispute(account: Account, charge: Stripe.Charge): Stripe.Dispute | undefined {
  return account.store.all("dispute").find((one) => one.charge === charge.id);
}

function stateLabel(account: Account, charge: Stripe.Charge): string {
  if (!charge.paid) return `Declined: ${charge.failure_message}`;
  const dispute = findDispute(account, charge);
  if (dispute)
    return dispute.status === "needs_response"
      ? "Disputed, undecided"
      : `Dispute ${dispute.status}`;
  if (charge.refunded) return refundLabel(account, charge);
  if (charge.amount_refunded > 0) return `Paid, ${formatMoney(charge.amount_refunded)} refunded`;
  return "Paid";
}

function refundLabel(account: Account, charge: Stripe.Charge): string {
  const pending = account.store
    .all("refund")
    .some((one) => one.charge === charge.id && one.status === "pending");
  return pending ? "Refund on its way" : "Refunded";
}

function actionsFor(account: Account, charge: Stripe.Charge, about: string): Markup {
  const dispute = findDispute(account, charge);
  if (!charge.paid || charge.refunded || (dispute && dispute.status !== "needs_response"))
    return markup`<span class="soft">Nothing</span>`;
  if (dispute) {
    return markup`<div class="row">${buttonForm(`/payments/${charge.id}/won`, "Win the dispute", { about })}
      ${buttonForm(`/payments/${charge.id}/lost`, "Lose the dispute", { about })}</div>`;
  }
  return markup`<div class="row">
    <form method="post" action="/payments/${charge.id}/refund" class="row">
      <div class="field"><label for="dollars-${charge.id}">Dollars<span class="hidden"> to refund of ${about}</span></label>
        <input type="number" id="dollars-${charge.id}" name="dollars" min="0.01" step="0.01" value="${((charge.amount - charge.amount_refunded) / 100).toFixed(2)}"></div>
      <button>Refund<span class="hidden"> ${about}</span></button>
    </form>
    ${charge.amount_refunded === 0 && buttonForm(`/payments/${charge.id}/dispute`, "Dispute it", { about })}
  </div>`;
}

/** Answers a button of the page. */
export async function submitPayments(
  account: Account,
  {
    id,
    step,
    form,
    appUrl,
  }: { id: string; step: string; form: URLSearchParams; appUrl: string | null },
  deliverWebhooks: () => Promise<void>,
): Promise<Response> {
  try {
    account.store.transaction(() => {
      const charge = account.get("charge", id);
      if (step === "refund")
        createRefund(account, charge, {
          amount: Math.round(Number(form.get("dollars")) * 100) || undefined,
        });
      else if (step === "dispute") openDispute(account, charge);
      else {
        const dispute = findDispute(account, charge);
        if (!dispute) throw new ApiError("This payment isn’t disputed.");
        closeDispute(account, dispute, step === "won");
      }
    });
  } catch (problem) {
    if (problem instanceof ApiError) return paymentsPage(account, appUrl, problem.message);
    throw problem;
  }
  await deliverWebhooks();
  return seeOther("/payments");
}
