import type { Stripe } from "stripe";

import { type Markup, Markup as Html, markup } from "../../markup";
import type { Account } from "../account";
import { TEST_METHODS, testMethod } from "../payment-methods";
import { authenticate, enterCode, pay } from "../checkout-completion";
import { lineItems } from "../checkout-details";
import { email } from "../parameters";
import { Refusal } from "../refusal";
import { priceInWords } from "../subscriptions";
import { day, money, nothingHere, page, seeOther } from "./page";

type Session = Stripe.Checkout.Session;

/** Where people are sent after paying. */
export function successUrl(session: Session): string {
  return (session.success_url ?? "").replaceAll("{CHECKOUT_SESSION_ID}", session.id);
}

/** `/c/pay/:session`: what is bought, and how to pay for it. */
export function checkoutPage(account: Account, id: string, trouble?: string): Response {
  const session = account.store.find("checkout.session", id);
  if (!session) return nothingHere("checkout");
  if (session.status !== "open") return endedPage(session);
  const details = account.find("checkout", id);
  if (details.awaiting) return bankPage(session);
  const wrong = trouble ?? details.trouble;
  const recurring = session.mode === "subscription";
  const address = session.customer_details?.email ?? "";
  return page(
    recurring ? "Subscribe" : "Pay",
    markup`
    ${session.cancel_url && markup`<p><a href="${session.cancel_url}">Back, without paying</a></p>`}
    <h1>${recurring ? "Subscribe" : "Pay"}</h1>
    ${wrong && markup`<p class="wrong" role="alert">${wrong}</p>`}
    <section class="card" aria-labelledby="what">
      <h2 id="what">What you buy</h2>
      ${whatIsBought(account, session)}
      ${session.allow_promotion_codes === true && codeForm(account, session)}
    </section>
    <section class="card" aria-labelledby="how">
      <h2 id="how">How you pay</h2>
      <form method="post" action="/c/pay/${id}/pay">
        ${
          session.customer || session.customer_email
            ? markup`<p>E-mail: ${address || "the customer has none"}</p>`
            : markup`<div class="field"><label for="email">E-mail</label>
              <input type="email" id="email" name="email" autocomplete="email" required value="${address}"></div>`
        }
        <div class="field"><label for="name">Name on the card <span class="soft">(optional)</span></label>
          <input type="text" id="name" name="name" autocomplete="off" maxlength="200"></div>
        <fieldset>
          <legend>Pay with</legend>
          ${Object.entries(TEST_METHODS)
            .filter(([, { type }]) => !recurring || type === "card")
            .map(
              (
                [name, card],
                index,
              ) => markup`<label class="choice"><input type="radio" name="card" value="${name}"${index === 0 && new Html(" checked")}>
              <span>${card.words} <span class="soft">(ends in ${card.last4})</span></span></label>`,
            )}
        </fieldset>
        <button class="main">${recurring ? "Subscribe" : `Pay ${money(session.amount_total)}`}</button>
      </form>
    </section>
    <p class="soft">This checkout ends by itself ${ends(session)}.</p>`,
    { leadsTo: [session.success_url, session.cancel_url] },
  );
}

function ends(session: Session): string {
  return `on ${new Date(session.expires_at * 1000).toLocaleString("en-US", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })} UTC`;
}

function whatIsBought(account: Account, session: Session): Markup {
  const items = lineItems(account, session).data;
  const off = session.total_details?.amount_discount ?? 0;
  const [first] = items;
  return markup`<table>
    <thead><tr><th scope="col">Item</th><th scope="col" class="sum">Quantity</th><th scope="col" class="sum">Price</th></tr></thead>
    <tbody>${items.map(
      (
        item,
      ) => markup`<tr><td>${item.description}<br><span class="soft">${priceInWords(item.price!)}</span></td>
        <td class="sum">${item.quantity}</td><td class="sum">${money(item.amount_subtotal)}</td></tr>`,
    )}</tbody>
    <tfoot>
      ${off > 0 && markup`<tr><th scope="row" colspan="2">Discount</th><td class="sum">${money(-off)}</td></tr>`}
      <tr><th scope="row" colspan="2">Total today</th><td class="sum">${money(session.amount_total)}</td></tr>
    </tfoot>
  </table>
  ${session.mode === "subscription" && first?.price && markup`<p class="soft">Then ${priceInWords(first.price)}, until you cancel.</p>`}`;
}

function codeForm(account: Account, session: Session): Markup {
  const code = account.find("checkout", session.id).discount?.promotionCode;
  const action = `/c/pay/${session.id}/promotion-code`;
  if (code) {
    return markup`<form method="post" action="${action}" class="row">
      <p>Promotion code <strong>${account.find("promotion_code", code).code}</strong> is taken off.</p>
      <input type="hidden" name="code" value=""><button>Remove it</button></form>`;
  }
  return markup`<form method="post" action="${action}" class="row">
    <div class="field"><label for="code">Promotion code</label><input type="text" id="code" name="code" autocomplete="off" maxlength="100"></div>
    <button>Apply</button></form>`;
}

function endedPage(session: Session): Response {
  const complete = session.status === "complete";
  const words = complete ? "This checkout is paid" : "This checkout has ended";
  const back = complete ? successUrl(session) : session.cancel_url;
  return page(
    words,
    markup`<h1>${words}</h1>
    <p>${complete ? "Nothing more is asked for it." : `It ended ${day(session.expires_at)}, and nothing was paid. Begin again where you came from.`}</p>
    ${back && markup`<p><a href="${back}">Back to where you came from</a></p>`}`,
    { status: complete ? 200 : 410 },
  );
}

/** The page of the bank, which asks whether it is you. */
function bankPage(session: Session): Response {
  return page(
    "Confirm with your bank",
    markup`<h1>Your bank asks: is it you?</h1>
    <p>A card with 3-D Secure is charged once its bank has heard from you. This page plays the bank.</p>
    <form method="post" action="/c/pay/${session.id}/authenticate" class="row">
      <button class="main" name="answer" value="yes">Confirm the payment of ${money(session.amount_total)}</button>
      <button name="answer" value="no">Refuse it</button>
    </form>`,
    { leadsTo: [session.success_url] },
  );
}

/** Answers what people do on the hosted page. `settled` resolves when the webhooks are delivered. */
export async function answerCheckout(
  account: Account,
  { id, step, form }: { id: string; step: string; form: URLSearchParams },
  settled: () => Promise<void>,
): Promise<Response> {
  const session = account.store.find("checkout.session", id);
  if (!session) return nothingHere("checkout");
  if (session.status !== "open")
    return session.status === "complete" ? seeOther(successUrl(session)) : endedPage(session);
  try {
    const outcome = account.store.change(() => {
      if (step === "pay") return payWith(account, session, form);
      if (step === "authenticate")
        return authenticate(account, session, form.get("answer") === "yes");
      enterCode(account, session, form.get("code") ?? "");
      return "refused";
    });
    if (outcome === "asks") return seeOther(`/c/pay/${id}/authenticate`);
    if (outcome === "refused") return seeOther(`/c/pay/${id}`);
  } catch (problem) {
    if (problem instanceof Refusal) return checkoutPage(account, id, problem.message);
    throw problem;
  }
  await settled();
  return seeOther(successUrl(session));
}

function payWith(
  account: Account,
  session: Session,
  form: URLSearchParams,
): ReturnType<typeof pay> {
  const isKnown = session.customer !== null || session.customer_email !== null;
  const address = isKnown
    ? (session.customer_details?.email ?? null)
    : email.read(form.get("email") ?? "", "email");
  return pay(account, session, testMethod(form.get("card")) ?? "ok", {
    email: address,
    name: form.get("name")?.trim() || null,
  });
}
