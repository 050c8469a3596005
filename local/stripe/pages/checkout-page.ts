import type { Stripe } from "stripe";

import { Markup, markup } from "../../html";
import type { Account } from "../account";
import { ApiError } from "../api-error";
import { applyPromotionCode, authenticate, pay } from "../checkout-completion";
import { asksFor, type CheckoutEntries } from "../checkout-entries";
import { lineItemsOf } from "../checkout-totals";
import { parseTestMethod, TEST_METHODS } from "../payment-methods";
import { priceLabel } from "../products-and-prices";
import { formatDay, formatMoney, notFound, page, seeOther } from "./page";

type Session = Stripe.Checkout.Session;

/** The URL to which the customer returns after paying. */
function successUrl(session: Session): string {
  return (session.success_url ?? "").replaceAll("{CHECKOUT_SESSION_ID}", session.id);
}

/** `/c/pay/:session`: what is bought, and how to pay for it. */
export function checkoutPage(account: Account, id: string, error?: string): Response {
  const session = account.store.find("checkout.session", id);
  if (!session) return notFound("checkout");
  if (session.status !== "open") return endedPage(session);
  const details = account.get("checkout_details", id);
  if (details.authenticating) return bankPage(session);
  const message = error ?? details.error;
  const recurring = session.mode === "subscription";
  return page(
    recurring ? "Subscribe" : "Pay",
    markup`
    ${session.cancel_url && markup`<p><a href="${session.cancel_url}">Back without paying</a></p>`}
    <h1>${recurring ? "Subscribe" : "Pay"}</h1>
    ${message && markup`<p class="wrong" role="alert">${message}</p>`}
    <section class="card" aria-labelledby="what">
      <h2 id="what">Your order</h2>
      ${itemsTable(account, session)}
      ${session.allow_promotion_codes === true && codeForm(account, session)}
    </section>
    <section class="card" aria-labelledby="how">
      <h2 id="how">Payment</h2>
      <form method="post" action="/c/pay/${id}/pay">
        <p>Email: ${session.customer_details?.email || "none given"}</p>
        <div class="field"><label for="name">Name on card, or business name <span class="soft">(optional)</span></label>
          <input type="text" id="name" name="name" autocomplete="off" maxlength="200"></div>
        ${entryFields(session)}
        <fieldset>
          <legend>Pay with</legend>
          ${Object.entries(TEST_METHODS)
            .filter(([, { type }]) => session.payment_method_types.includes(type))
            .map(
              (
                [name, card],
                index,
              ) => markup`<label class="choice"><input type="radio" name="card" value="${name}"${index === 0 && new Markup(" checked")}>
              <span>${card.label} <span class="soft">(ends in ${card.last4})</span></span></label>`,
            )}
        </fieldset>
        <button class="main">${recurring ? "Subscribe" : `Pay ${formatMoney(session.amount_total)}`}</button>
      </form>
    </section>
    <p class="soft">This checkout expires ${expiryLabel(session)}.</p>`,
    { redirectsTo: [session.success_url, session.cancel_url] },
  );
}

const ADDRESS_FIELDS = [
  ["line1", "Address", "1 Market Street"],
  ["line2", "Apartment or suite", ""],
  ["city", "City", "San Francisco"],
  ["state", "State", "CA"],
  ["postal_code", "ZIP code", "94105"],
  ["country", "Country", "US"],
] as const;

/** The address and the tax id, where the session asks for them. The address is filled in already. */
function entryFields(session: Session): Markup {
  const { address, taxId } = asksFor(session);
  return markup`${
    address &&
    markup`<fieldset><legend>Billing address</legend>${ADDRESS_FIELDS.map(
      ([name, label, value]) => markup`<div class="field"><label for="${name}">${label}</label>
        <input type="text" id="${name}" name="${name}" value="${value}" autocomplete="off" maxlength="200"></div>`,
    )}</fieldset>`
  }${
    taxId &&
    markup`<div class="field"><label for="tax_id">Tax ID <span class="soft">(optional)</span></label>
      <input type="text" id="tax_id" name="tax_id" autocomplete="off" maxlength="50"></div>`
  }`;
}

function parseEntries(form: URLSearchParams): CheckoutEntries {
  const field = (name: string): string | null => form.get(name)?.trim() || null;
  const country = field("country");
  return {
    name: field("name"),
    address:
      country === null
        ? null
        : {
            city: field("city"),
            country,
            line1: field("line1"),
            line2: field("line2"),
            postal_code: field("postal_code"),
            state: field("state"),
          },
    taxId: field("tax_id"),
  };
}

function expiryLabel(session: Session): string {
  return `on ${new Date(session.expires_at * 1000).toLocaleString("en-US", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })} UTC`;
}

function itemsTable(account: Account, session: Session): Markup {
  const items = lineItemsOf(account, session).data;
  const discount = session.total_details?.amount_discount ?? 0;
  const [first] = items;
  return markup`<table>
    <thead><tr><th scope="col">Item</th><th scope="col" class="sum">Quantity</th><th scope="col" class="sum">Price</th></tr></thead>
    <tbody>${items.map(
      (
        item,
      ) => markup`<tr><td>${item.description}<br><span class="soft">${priceLabel(item.price!)}</span></td>
        <td class="sum">${item.quantity}</td><td class="sum">${formatMoney(item.amount_subtotal)}</td></tr>`,
    )}</tbody>
    <tfoot>
      ${discount > 0 && markup`<tr><th scope="row" colspan="2">Discount</th><td class="sum">${formatMoney(-discount)}</td></tr>`}
      ${session.automatic_tax.enabled && markup`<tr><th scope="row" colspan="2">Tax</th><td class="sum">based on your address</td></tr>`}
      <tr><th scope="row" colspan="2">Total today</th><td class="sum">${formatMoney(session.amount_total)}</td></tr>
    </tfoot>
  </table>
  ${session.mode === "subscription" && first?.price && markup`<p class="soft">Then ${priceLabel(first.price)}, until you cancel.</p>`}`;
}

function codeForm(account: Account, session: Session): Markup {
  const code = account.get("checkout_details", session.id).discount?.promotionCode;
  const action = `/c/pay/${session.id}/promotion-code`;
  if (code) {
    return markup`<form method="post" action="${action}" class="row">
      <p>Promotion code <strong>${account.get("promotion_code", code).code}</strong> is applied.</p>
      <input type="hidden" name="code" value=""><button>Remove</button></form>`;
  }
  return markup`<form method="post" action="${action}" class="row">
    <div class="field"><label for="code">Promotion code</label><input type="text" id="code" name="code" autocomplete="off" maxlength="100"></div>
    <button>Apply</button></form>`;
}

function endedPage(session: Session): Response {
  const complete = session.status === "complete";
  const title = complete ? "This checkout is paid" : "This checkout has expired";
  const back = complete ? successUrl(session) : session.cancel_url;
  return page(
    title,
    markup`<h1>${title}</h1>
    <p>${complete ? "There’s nothing else to do." : `It expired ${formatDay(session.expires_at)}, and you weren’t charged. Please go back and start again.`}</p>
    ${back && markup`<p><a href="${back}">Go back</a></p>`}`,
    { status: complete ? 200 : 410 },
  );
}

/** The page on which the customer's bank asks for authentication (3-D Secure). */
function bankPage(session: Session): Response {
  return page(
    "Confirm with your bank",
    markup`<h1>Confirm it’s you</h1>
    <p>Cards with 3-D Secure are charged after you confirm with your bank. Here, this page is the bank.</p>
    <form method="post" action="/c/pay/${session.id}/authenticate" class="row">
      <button class="main" name="answer" value="yes">Confirm payment of ${formatMoney(session.amount_total)}</button>
      <button name="answer" value="no">Decline</button>
    </form>`,
    { redirectsTo: [session.success_url] },
  );
}

/**
 * Answers a form of the hosted page. `deliverWebhooks` resolves when the webhooks are delivered.
 */
export async function submitCheckout(
  account: Account,
  { id, step, form }: { id: string; step: string; form: URLSearchParams },
  deliverWebhooks: () => Promise<void>,
): Promise<Response> {
  const session = account.store.find("checkout.session", id);
  if (!session) return notFound("checkout");
  if (session.status !== "open")
    return session.status === "complete" ? seeOther(successUrl(session)) : endedPage(session);
  try {
    const outcome = account.store.transaction(() => {
      if (step === "pay")
        return pay(account, session, parseTestMethod(form.get("card")), parseEntries(form));
      if (step === "authenticate")
        return authenticate(account, session, form.get("answer") === "yes");
      applyPromotionCode(account, session, form.get("code") ?? "");
      return "declined";
    });
    if (outcome === "authentication_required") return seeOther(`/c/pay/${id}/authenticate`);
    if (outcome === "declined") return seeOther(`/c/pay/${id}`);
  } catch (problem) {
    if (problem instanceof ApiError) return checkoutPage(account, id, problem.message);
    throw problem;
  }
  await deliverWebhooks();
  return seeOther(successUrl(session));
}
