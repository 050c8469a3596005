import { redirect, type TypedResponse } from "@remix-run/node";

import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { redactSecrets } from "~/http/log.server";
import type { ActionContext } from "~/http/route.server";
import { paymentsAreSetUp } from "~/integrations/stripe/client.server";
import { stripeFailure } from "~/integrations/stripe/failure.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { abandonCheckout, NOT_SET_UP } from "./checkout.server";
import { PaymentRefused, PaymentUnavailable } from "./payment-refusals.server";
import { PaymentBusy, settle } from "./settle.server";

type Context = Pick<ActionContext<"signed in">, "db" | "form" | "log" | "url">;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CANT_CHECK =
  "We can’t ask our payment provider just now. Nothing is lost: as soon as it tells us of your payment, you’ll see it here.";

/** Handles "Check now" (intent `check-payment`): asks how the payment stands, and shows the page again. */
export async function checkPayment({ db, form, log, url }: Context): Promise<TypedResponse<never>> {
  const order = readField(form, "order");
  const here = `${url.pathname}${url.search}`;
  if (!UUID.test(order)) return redirect(here, { status: 303 });
  const own = await db.from("orders").select("id").eq("id", order).maybeSingle();
  unwrap(own);
  if (!own.data) return redirect(here, { status: 303 });
  if (!paymentsAreSetUp()) return redirectWithFlash(here, { tone: "problem", text: NOT_SET_UP });
  try {
    await settle({ orderId: order }, { log });
  } catch (error) {
    const failure = stripeFailure(error);
    if (!failure && !(error instanceof PaymentBusy)) throw error;
    log.warn({ order, failure, reason: redactSecrets(String(error)) }, "payment not checked");
    return redirectWithFlash(here, { tone: "problem", text: CANT_CHECK });
  }
  return redirect(here, { status: 303 });
}

/** Handles the intent `abandon-checkout`: closes the checkout somebody came back from, so that what it held is free. */
export async function abandonPayment({
  db,
  form,
  log,
  url,
}: Context): Promise<TypedResponse<never>> {
  const order = readField(form, "order");
  if (!UUID.test(order)) return redirect(url.pathname, { status: 303 });
  try {
    if (paymentsAreSetUp()) await abandonCheckout({ db, log }, order);
  } catch (error) {
    if (error instanceof PaymentRefused)
      return redirectWithFlash(url.pathname, { tone: "info", text: error.message });
    if (!(error instanceof PaymentUnavailable)) throw error;
    return redirectWithFlash(`${url.pathname}${url.search}`, { tone: "problem", text: CANT_CHECK });
  }
  return redirectWithFlash(url.pathname, {
    tone: "info",
    text: "Your order is kept, unpaid. You can pay for it later.",
  });
}
