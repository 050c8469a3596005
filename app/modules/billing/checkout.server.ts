import { createHash } from "node:crypto";

import { z } from "zod";

import type { Log } from "~/http/log.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { nullIfMissing } from "~/integrations/stripe/stripe-error.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { NO_PERMISSION } from "~/modules/listings/rules";
import { trackPurchase } from "~/modules/privacy/tracking-consent.server";

import type { Item } from "./catalog";
import { buildSessionParams, hasChoices } from "./checkout-session.server";
import { explainHeldSpots, heldSpotsRefusal } from "./held-spots.server";
import { findTerms, type Checkout, type Terms } from "./checkout-terms.server";
import { endUnpaidSubscriptions } from "./end-subscriptions.server";
import { countPaymentRequest } from "./limit-payment-requests.server";
import { ITEM_COLUMN } from "./orders.server";
import {
  CHECKOUT_FAILURE,
  NOT_SET_UP,
  PaymentBusy,
  PaymentRefused,
  PaymentUnavailable,
  toPaymentError,
  type FailureMessages,
} from "./payment-errors.server";
import { openCheckoutSchema } from "./payment-records.server";
import { ACCOUNT_ENDS } from "./payment-terms.server";
import { closeCheckout, recordPayment } from "./record-payment.server";
import { findOrCreateCustomer, type Buyer } from "./stripe-customer.server";
import { JOB } from "./prices";

/** How often a checkout is opened again because another one of the same item was in the way. */
const MAX_ROUNDS = 4;

const REFUSALS = {
  missing: NO_PERMISSION,
  paid: "This is already paid for.",
  featured: "This listing is already Featured.",
  "no-dates": "Please choose at least one date before you pay.",
  processing:
    "Your payment is on its way. We’ll show it here as soon as it arrives. There’s nothing else to do.",
  "company-not-public":
    "No one would see this job right now, because its listing isn’t public, or belongs to someone else now. Make the listing public before you pay, or choose “This business is not listed” and name the company.",
  archived:
    "This listing is archived, flagged or waiting to be removed, so it can’t be Featured right now. If you have questions, please get in touch.",
  paused:
    "The plan of this listing is paused. Cancel it under “Plan and payments” before you choose another one, or get in touch.",
  "paused-by-another":
    "The account that owned this listing before has a plan for it, which is paused. Please get in touch, and we’ll sort it out.",
  "account-ends": ACCOUNT_ENDS,
  "listing-not-yours":
    "You no longer own the business in this order, so we can’t hold the dates. Please choose one of your own businesses.",
  "listing-not-public":
    "Only published listings can be in the newsletter. Your order is saved, and you can pay once its listing is published and visible.",
} as const;

/** A former owner's, or an admin's: whether it pays for anything is decided when it arrives. */
const OTHERS_PAYMENT =
  "Someone else’s payment for this is still on its way from their bank. You weren’t charged. Please try again in a few days.";

const PAID_MEANWHILE =
  "Your earlier payment went through. We’ve recorded it now, and you weren’t charged again.";

/** What a buyer reads while it isn't known whether their earlier checkout was paid. */
const EARLIER_UNKNOWN: FailureMessages = {
  unavailable:
    "We can’t reach our payment provider right now, so we can’t tell yet whether your earlier payment went through. You weren’t charged again, and your order is saved. Please try again in a few minutes.",
  slow: "We can’t tell yet whether your earlier payment went through. You weren’t charged again, and your order is saved. Please try again in a few minutes.",
  ourFault:
    "Payments aren’t working right now, and it’s our fault. We can’t tell yet whether your earlier payment went through. You weren’t charged again, and your order is saved. We’ve made a note of it. Please try again later.",
};

const plainRefusal = z.object({
  refused: z.enum([
    "missing",
    "paid",
    "featured",
    "no-dates",
    "processing",
    "company-not-public",
    "archived",
    "paused",
    "paused-by-another",
    "account-ends",
    "listing-not-yours",
    "listing-not-public",
  ]),
});

/** A checkout of another attempt. `own`: the buyer may have paid for the same item in it. */
const otherCheckout = openCheckoutSchema.extend({ own: z.boolean() });
type OtherCheckout = z.infer<typeof otherCheckout>;

const openedOrder = z.union([
  plainRefusal,
  heldSpotsRefusal,
  /** Checkouts that may have been paid although no event has said so yet. */
  z.object({ check: z.array(otherCheckout) }),
  z.object({
    order: z.object({
      id: z.string(),
      attempt: z.number(),
      unit_price_cents: z.number(),
      quantity: z.number(),
      /** The discount that is granted; null when the first month was used before. */
      coupon: z.string().nullable(),
      expires_at: z.number(),
    }),
    /** Every checkout of the item that may still be open, of this order and of others. */
    running: z.array(otherCheckout),
  }),
]);

/**
 * Opens a checkout for an item, or reuses the one that is open for it at the same price and with the same choices.
 * There is never more than one that can be paid.
 * @returns the address of Stripe's page, to redirect to
 * @throws PaymentRefused when the buyer can't pay for the item; PaymentUnavailable when the order is
 *   stored and can be paid later; DataError
 */
export async function openCheckout(checkout: Checkout, item: Item): Promise<{ url: string }> {
  const { buyer, log } = checkout;
  try {
    if (!isStripeConfigured()) throw new PaymentUnavailable(NOT_SET_UP);
    await countPaymentRequest(buyer.id);
    const terms = await findTerms(checkout, item);
    if (item.kind === "upgrade") await endUnpaidSubscriptions(item.placeId, buyer.id, log);
    const checked: string[] = [];
    // Each round closes the checkouts in its way. A second one is rare, a third one needs a second buyer.
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const url = await tryToOpen(checkout, item, terms, checked);
      if (!url) continue;
      trackPurchase(buyer.id, { name: "InitiateCheckout" }, log);
      if (item.kind === "upgrade") trackPurchase(buyer.id, { name: "started_checkout" }, log);
      return { url };
    }
    throw new PaymentBusy("Another checkout of the same item is open.");
  } catch (error) {
    throw toPaymentError(error, log);
  }
}

function getItemId(item: Item): number {
  switch (item.kind) {
    case "job":
      return item.jobId;
    case "sponsorship":
      return item.sponsorshipId;
    case "upgrade":
      return item.placeId;
  }
}

/**
 * One round: finds or creates the order, closes other checkouts of the item, and opens the order's.
 * Nothing is opened until Stripe was asked how an earlier checkout of the item ended.
 * @param checked the checkouts that Stripe was asked about, which this adds to
 * @returns the address, or null when a checkout was in the way, which is closed now
 */
async function tryToOpen(
  { db, buyer, log }: Checkout,
  item: Item,
  terms: Terms,
  checked: string[],
): Promise<string | null> {
  const service = createServiceClient();
  const opened = await callFunction(
    service,
    "open_order",
    {
      buyer: buyer.id,
      kind: item.kind,
      item_id: getItemId(item),
      ...(terms.plan ? { plan: terms.plan.id } : {}),
      ...(terms.unitPriceCents === undefined ? {} : { unit_price_cents: terms.unitPriceCents }),
      ...(terms.coupon ? { coupon: terms.coupon } : {}),
      ...(item.kind === "job" ? { renew: item.renew ?? false, days: JOB.liveDays } : {}),
      checked,
    },
    openedOrder,
  );
  if ("refused" in opened) {
    if (opened.refused === "processing" && !(await isPaying(db, buyer.id, item)))
      throw new PaymentRefused(OTHERS_PAYMENT);
    throw toPaymentRefused(opened);
  }
  if ("check" in opened) {
    for (const one of opened.check) await closeUnlessPaid(one, log);
    checked.push(...opened.check.map(({ session }) => session));
    return null;
  }

  const { order, running } = opened;
  const others = running.filter((one) => one.order !== order.id);
  for (const other of others) await closeUnlessPaid(other, log);
  if (others.length > 0) return null;
  const own = running.find((one) => one.order === order.id);
  if (own) return reuseCheckout(own, buyer, log);

  const customer = await findOrCreateCustomer(buyer);
  const params = await buildSessionParams({
    order,
    buyer,
    customer: customer.id,
    wantsInvoices: customer.wantsInvoices,
    item: item.kind === "upgrade" ? { ...item, plan: terms.plan! } : item,
  });
  const session = await stripe().checkout.sessions.create(params, {
    idempotencyKey: `checkout-${order.id}-${order.attempt}-${hashParams(params)}`,
  });
  if (!session.url) throw new PaymentUnavailable(CHECKOUT_FAILURE.unavailable);
  const recorded = unwrap(
    await service.rpc("record_checkout_session", {
      order_id: order.id,
      attempt: order.attempt,
      session_id: session.id,
      customer_id: customer.id,
    }),
  );
  if (recorded) return session.url;
  // The order changed in the meantime. No one has this address yet.
  await closeCheckout({ order: order.id, session: session.id }, log);
  return null;
}

/** Whether the payment for an item that is on its way is the buyer's own. */
async function isPaying(db: Db, buyer: string, item: Item): Promise<boolean> {
  const own = await db
    .from("orders")
    .select("id")
    .eq("owner", buyer)
    .eq(ITEM_COLUMN[item.kind], getItemId(item))
    .eq("status", "processing");
  return unwrap(own).length > 0;
}

/** Why an order can't be paid for, as a sentence for its buyer. */
function toPaymentRefused(
  opened: z.infer<typeof plainRefusal> | z.infer<typeof heldSpotsRefusal>,
): PaymentRefused {
  switch (opened.refused) {
    case "too-many-held":
    case "held-twice":
    case "dates":
      return explainHeldSpots(opened);
    default:
      return new PaymentRefused(
        REFUSALS[opened.refused],
        [],
        opened.refused === "listing-not-yours",
      );
  }
}

/**
 * Stripe accepts a key again only with the same parameters. These differ once the customer does.
 */
function hashParams(params: object): string {
  return createHash("sha256").update(JSON.stringify(params)).digest("base64url").slice(0, 16);
}

/**
 * Closes another checkout, and brings its order to what Stripe says: an event that is late must not make anyone
 * pay twice.
 * @throws PaymentRefused when the buyer has paid for the item there; PaymentUnavailable when that
 * isn't known
 */
async function closeUnlessPaid({ own, ...checkout }: OtherCheckout, log: Log): Promise<void> {
  if (!own) return closeCheckout(checkout, log);
  try {
    await closeCheckout(checkout, log);
  } catch (error) {
    throw toPaymentError(error, log, EARLIER_UNKNOWN);
  }
  await refuseIfPaid(checkout.order);
}

/**
 * The address of the checkout that is open for an order; null when it turns out to be over, or when
 * it is closed because its buyer has since turned discreet mode or invoices on or off.
 */
async function reuseCheckout(own: OtherCheckout, buyer: Buyer, log: Log): Promise<string | null> {
  const [session, { wantsInvoices }] = await Promise.all([
    nullIfMissing(stripe().checkout.sessions.retrieve(own.session)),
    findOrCreateCustomer(buyer),
  ]);
  if (session?.status === "open" && session.url) {
    if (hasChoices(session, { discreet: buyer.discreet, wantsInvoices })) return session.url;
    await closeUnlessPaid(own, log);
    return null;
  }
  await recordPayment({ orderId: own.order, sessionId: own.session }, { log });
  await refuseIfPaid(own.order);
  return null;
}

/**
 * @throws PaymentRefused when an order has just turned out to be paid, and none of it has to be
 * refunded; DataError
 */
async function refuseIfPaid(orderId: string): Promise<void> {
  const { paid_at, refund_reason, revoked_at } = unwrap(
    await createServiceClient()
      .from("orders")
      .select("paid_at, refund_reason, revoked_at")
      .eq("id", orderId)
      .single(),
  );
  if (paid_at !== null && refund_reason === null && revoked_at === null)
    throw new PaymentRefused(PAID_MEANWHILE);
}

/**
 * Closes the checkout of an order that its buyer left, or is about to change, and releases the
 * spots that were held for it. The order stays and can be paid later. Does nothing when no checkout
 * is open.
 * @throws PaymentRefused when the order turns out to be paid; PaymentUnavailable, DataError
 */
export async function abandonCheckout(
  { db, log }: Pick<Checkout, "db" | "log">,
  orderId: string,
): Promise<void> {
  const order = await findOwnOrder(db, orderId);
  if (!order) return;
  try {
    if (order.paid_at === null && order.stripe_checkout_session_id)
      await closeCheckout({ order: order.id, session: order.stripe_checkout_session_id }, log);
  } catch (error) {
    throw toPaymentError(error, log);
  }
  const now = await findOwnOrder(db, orderId);
  if (now && (now.paid_at !== null || now.status === "processing"))
    throw new PaymentRefused(REFUSALS[now.paid_at === null ? "processing" : "paid"]);
  if (order.sponsorship_id !== null)
    unwrap(await db.rpc("release_sponsorship_dates", { sponsorship_id: order.sponsorship_id }));
}

/**
 * Closes the open checkouts of an item before it is changed or deleted, so that no one pays for
 * what it was.
 * @throws PaymentUnavailable when Stripe can't be asked: then it can't be changed
 * @throws PaymentRefused when it turns out to be paid; DataError
 */
export async function abandonCheckouts(
  checkout: Pick<Checkout, "db" | "log">,
  item: { job_id: number } | { sponsorship_id: number },
): Promise<void> {
  const orders = await checkout.db
    .from("orders")
    .select("id")
    .match(item)
    .is("paid_at", null)
    .not("stripe_checkout_session_id", "is", null)
    .gt("expires_at", new Date().toISOString());
  for (const { id } of unwrap(orders)) await abandonCheckout(checkout, id);
}

async function findOwnOrder(db: Db, id: string) {
  const order = await db
    .from("orders")
    .select("id, status, paid_at, sponsorship_id, stripe_checkout_session_id")
    .eq("id", id)
    .maybeSingle();
  unwrap(order);
  return order.data;
}
