import { markup } from "../../html";
import type { Account } from "../account";
import { ApiError } from "../api-error";
import { collectPayment } from "../billing";
import { idOf } from "../ids";
import { paymentMethodLabel } from "../payment-methods";
import { buttonForm, formatMoney, formatTime, notFound, page, seeOther } from "./page";

/** `/receipts/:charge`: what was paid and refunded. */
export function receiptPage(account: Account, id: string): Response {
  const charge = account.store.find("charge", id);
  if (!charge?.paid) return notFound("receipt");
  const card = account.store.find("payment_method", charge.payment_method ?? "");
  return page(
    "Receipt",
    markup`<h1>Receipt</h1>
    <dl>
      <dt>Paid</dt><dd>${formatMoney(charge.amount)}</dd>
      ${charge.amount_refunded > 0 && markup`<dt>Refunded</dt><dd>${formatMoney(charge.amount_refunded)}</dd>`}
      <dt>When</dt><dd>${formatTime(charge.created)}</dd>
      <dt>With</dt><dd>${paymentMethodLabel(card)}</dd>
      ${charge.description && markup`<dt>For</dt><dd>${charge.description}</dd>`}
      <dt>Number</dt><dd class="id">${charge.id}</dd>
    </dl>`,
  );
}

/** `/i/:invoice`: an invoice, with a button to pay it while it is open. */
export function invoicePage(account: Account, id: string, error?: string): Response {
  const invoice = account.store.find("invoice", id);
  if (!invoice || invoice.status === "draft") return notFound("invoice");
  return page(
    `Invoice ${invoice.number}`,
    markup`<h1>Invoice ${invoice.number}</h1>
    ${error && markup`<p class="wrong" role="alert">${error}</p>`}
    <table>
      <thead><tr><th scope="col">For</th><th scope="col" class="sum">Amount</th></tr></thead>
      <tbody>${invoice.lines.data.map((line) => markup`<tr><td>${line.description}</td><td class="sum">${formatMoney(line.amount)}</td></tr>`)}</tbody>
      <tfoot>
        ${(invoice.total_discount_amounts ?? []).map(
          (off) =>
            markup`<tr><th scope="row">Discount</th><td class="sum">${formatMoney(-off.amount)}</td></tr>`,
        )}
        <tr><th scope="row">${invoice.status === "paid" ? "Paid" : "Due"}</th><td class="sum">${formatMoney(invoice.amount_due)}</td></tr>
      </tfoot>
    </table>
    <p>${invoice.status === "open" ? "This invoice is open." : `This invoice is ${invoice.status}.`}  Created ${formatTime(invoice.created)}.</p>
    ${invoice.status === "open" && buttonForm(`/i/${id}/pay`, `Pay ${formatMoney(invoice.amount_due)} with the card on file`, { main: true })}`,
  );
}

/** Pays an open invoice with the customer's card. */
export async function submitInvoice(
  account: Account,
  id: string,
  deliverWebhooks: () => Promise<void>,
): Promise<Response> {
  const invoice = account.store.find("invoice", id);
  const subscription = account.store.find(
    "subscription",
    idOf(invoice?.parent?.subscription_details?.subscription) ?? "",
  );
  if (!invoice || !subscription) return notFound("invoice");
  try {
    const { invoice: after } = account.store.transaction(() =>
      collectPayment(account, subscription, invoice, "authenticated"),
    );
    await deliverWebhooks();
    return after.status === "paid"
      ? seeOther(`/i/${id}`)
      : invoicePage(account, id, "The card was declined.");
  } catch (problem) {
    if (problem instanceof ApiError) return invoicePage(account, id, problem.message);
    throw problem;
  }
}
