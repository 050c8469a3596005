import { markup } from "../../markup";
import type { Account } from "../account";
import { collectFor } from "../billing-cycle";
import { methodInWords } from "../payment-methods";
import { idOf } from "../ids";
import { Refusal } from "../refusal";
import { button, money, nothingHere, page, seeOther, time } from "./page";

/** `/receipts/:charge`: what was paid, and what came back of it. */
export function receiptPage(account: Account, id: string): Response {
  const charge = account.store.find("charge", id);
  if (!charge?.paid) return nothingHere("receipt");
  const card = account.store.find("payment_method", charge.payment_method ?? "");
  return page(
    "Receipt",
    markup`<h1>Receipt</h1>
    <dl>
      <dt>Paid</dt><dd>${money(charge.amount)}</dd>
      ${charge.amount_refunded > 0 && markup`<dt>Refunded</dt><dd>${money(charge.amount_refunded)}</dd>`}
      <dt>When</dt><dd>${time(charge.created)}</dd>
      <dt>With</dt><dd>${methodInWords(card)}</dd>
      ${charge.description && markup`<dt>For</dt><dd>${charge.description}</dd>`}
      <dt>Number</dt><dd class="id">${charge.id}</dd>
    </dl>`,
  );
}

/** `/i/:invoice`: an invoice, with a button to pay it while it is open. */
export function invoicePage(account: Account, id: string, trouble?: string): Response {
  const invoice = account.store.find("invoice", id);
  if (!invoice || invoice.status === "draft") return nothingHere("invoice");
  return page(
    `Invoice ${invoice.number}`,
    markup`<h1>Invoice ${invoice.number}</h1>
    ${trouble && markup`<p class="wrong" role="alert">${trouble}</p>`}
    <table>
      <thead><tr><th scope="col">For</th><th scope="col" class="sum">Amount</th></tr></thead>
      <tbody>${invoice.lines.data.map((line) => markup`<tr><td>${line.description}</td><td class="sum">${money(line.amount)}</td></tr>`)}</tbody>
      <tfoot>
        ${(invoice.total_discount_amounts ?? []).map(
          (off) =>
            markup`<tr><th scope="row">Discount</th><td class="sum">${money(-off.amount)}</td></tr>`,
        )}
        <tr><th scope="row">${invoice.status === "paid" ? "Paid" : "Due"}</th><td class="sum">${money(invoice.amount_due)}</td></tr>
      </tfoot>
    </table>
    <p>${invoice.status === "open" ? "It is open." : `It is ${invoice.status}.`} Made ${time(invoice.created)}.</p>
    ${invoice.status === "open" && button(`/i/${id}/pay`, `Pay ${money(invoice.amount_due)} with the card on file`, { main: true })}`,
  );
}

/** Pays an open invoice with the customer's card. */
export async function payInvoice(
  account: Account,
  id: string,
  settled: () => Promise<void>,
): Promise<Response> {
  const invoice = account.store.find("invoice", id);
  const subscription = account.store.find(
    "subscription",
    idOf(invoice?.parent?.subscription_details?.subscription) ?? "",
  );
  if (!invoice || !subscription) return nothingHere("invoice");
  try {
    const { invoice: after } = account.store.change(() =>
      collectFor(account, subscription, invoice, "has confirmed"),
    );
    await settled();
    return after.status === "paid"
      ? seeOther(`/i/${id}`)
      : invoicePage(account, id, "The card was declined.");
  } catch (problem) {
    if (problem instanceof Refusal) return invoicePage(account, id, problem.message);
    throw problem;
  }
}
