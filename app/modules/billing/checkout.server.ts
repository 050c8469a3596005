import { createHash } from "node:crypto";

import { env } from "~/env.server";
import { redactSecrets, type Log } from "~/http/log.server";
import { paymentsAreSetUp, stripe } from "~/integrations/stripe/client.server";
import { found, stripeFailure } from "~/integrations/stripe/failure.server";
import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

import { trackPurchase } from "~/modules/privacy/tracking-consent.server";

import { planOf, type CataloguePlan } from "./catalogue";
import { CatalogueDiffers, checkoutParams, type OpenOrder } from "./checkout-session.server";
import { customerOf, type Buyer } from "./customer.server";
import type { Item } from "./item";
import { endLeftOverSubscriptions } from "./left-over-subscriptions.server";
import { PaymentRefused, PaymentUnavailable, type GoneDate } from "./payment-refusals.server";
import { JOB } from "./prices";
import { expireCheckout, PaymentBusy, settle } from "./settle.server";

/** Who wants to pay. `db` acts with their own rights, and so proves that it is theirs to pay for. */
export interface Checkout {
  db: Db;
  buyer: Buyer;
  log: Log;
}

export const NOT_SET_UP =
  "Payments aren’t set up here yet, so this can’t be paid for. What you entered is saved.";
const PROVIDER_DOWN =
  "We can’t reach our payment provider just now. Nothing was charged, and your order is kept: please try to pay again in a few minutes.";
const OUR_FAULT =
  "Paying doesn’t work just now, and that’s our fault. Nothing was charged, and your order is kept. We’ve made a note of it; please try again later.";
const NOT_THEIRS = "You do not have permission to edit this listing.";

/**
 * The page on which somebody pays for something: a new checkout, or the one that is open for the same thing at the
 * same price. There is never more than one that can be paid.
 * @returns its address, to redirect to
 * @throws PaymentRefused when this can't be paid for by them; PaymentUnavailable when the order is kept and can be
 *   paid later; DataError
 */
export async function openCheckout(checkout: Checkout, item: Item): Promise<{ url: string }> {
  const { log } = checkout;
  try {
    if (!paymentsAreSetUp()) throw new PaymentUnavailable(NOT_SET_UP);
    const wanted = await wantedBy(checkout, item);
    if (item.kind === "upgrade") await endLeftOverSubscriptions(item.placeId, log);
    // Each round closes what was found open, so a second one is rare and a third one somebody else's doing.
    for (let round = 0; round < 4; round += 1) {
      const url = await tryToOpen(checkout, item, wanted);
      if (!url) continue;
      trackPurchase(checkout.buyer.id, { name: "InitiateCheckout" }, log);
      if (item.kind === "upgrade")
        trackPurchase(checkout.buyer.id, { name: "started_checkout" }, log);
      return { url };
    }
    throw new PaymentBusy("This is being paid for elsewhere.");
  } catch (error) {
    throw explainedPayment(error, log);
  }
}

/** What paying for something comes to: the price where it is ours to say, and what is off it. */
interface Wanted {
  unitPriceCents?: number;
  coupon: string | null;
  plan?: CataloguePlan;
}

/** Proves that the buyer may buy it, and says what it costs. @throws PaymentRefused, DataError */
async function wantedBy({ db, buyer }: Checkout, item: Item): Promise<Wanted> {
  if (item.kind === "job") {
    const found = await db.from("jobs").select("id").eq("id", item.jobId).maybeSingle();
    unwrap(found);
    if (!found.data) throw new PaymentRefused(NOT_THEIRS);
    const coupon = env().jobCoupon;
    return {
      unitPriceCents: JOB.cents,
      coupon: coupon?.userId === buyer.id ? coupon.coupon : null,
    };
  }
  if (item.kind === "sponsorship") {
    await holdDates(db, item.sponsorshipId);
    return { coupon: null };
  }
  const plan = planOf(item.plan);
  if (!plan) throw new PaymentRefused("Please choose one of the plans.");
  const found = await db
    .from("places")
    .select("id")
    .eq("id", item.placeId)
    .eq("owner", buyer.id)
    .maybeSingle();
  unwrap(found);
  if (!found.data) throw new PaymentRefused("Please select a listing to be featured!");
  return { unitPriceCents: plan.cents, coupon: plan.firstOff?.coupon ?? null, plan };
}

/** Holds the dates of a sponsorship for its checkout. @throws PaymentRefused naming those that are gone, DataError */
async function holdDates(db: Db, sponsorshipId: number): Promise<void> {
  const answer = await db.rpc("hold_sponsorship_dates", { sponsorship_id: sponsorshipId });
  try {
    const gone = unwrap(answer).flatMap(({ weekday_date: date, outcome }) =>
      outcome === "held" ? [] : [{ date, outcome: outcome as GoneDate["outcome"] }],
    );
    if (gone.length > 0) {
      throw new PaymentRefused(
        "Some of your dates can’t be had any more. Nothing was charged: please choose others in their place.",
        gone,
      );
    }
  } catch (error) {
    if (error instanceof DataError && error.failure === "denied")
      throw new PaymentRefused(NOT_THEIRS);
    throw error;
  }
}

type Running = { order: string; session: string };
type Opened = { refused: keyof typeof REFUSALS } | { order: OpenOrder; running: Running[] };

const REFUSALS = {
  missing: NOT_THEIRS,
  paid: "This is paid for already.",
  featured: "This listing is Featured already.",
  "no-dates": "Please choose at least one date, then you can pay.",
  processing:
    "A payment for this is on its way. We’ll show it here as soon as it arrives; there is nothing more to do.",
} as const;

/**
 * One round: finds or makes the order, closes what else is open for the thing, and opens its checkout.
 * @returns the address, or null when something was in the way, which is gone now
 */
async function tryToOpen(
  { buyer, log }: Checkout,
  item: Item,
  wanted: Wanted,
): Promise<string | null> {
  const service = createServiceClient();
  const opened = unwrap(
    await service.rpc("open_order", {
      buyer: buyer.id,
      kind: item.kind,
      item_id:
        item.kind === "job"
          ? item.jobId
          : item.kind === "sponsorship"
            ? item.sponsorshipId
            : item.placeId,
      ...(wanted.plan ? { plan: wanted.plan.id } : {}),
      ...(wanted.unitPriceCents === undefined ? {} : { unit_price_cents: wanted.unitPriceCents }),
      ...(wanted.coupon ? { coupon: wanted.coupon } : {}),
      ...(item.kind === "job" && item.renew ? { renew: true } : {}),
    }),
  ) as unknown as Opened;
  if ("refused" in opened) throw new PaymentRefused(REFUSALS[opened.refused]);

  const { order, running } = opened;
  const others = running.filter((one) => one.order !== order.id);
  for (const other of others) await expireCheckout(other.order, other.session, log);
  if (others.length > 0) return null;
  const own = running.find((one) => one.order === order.id);
  if (own) return reuse(own, log);

  const customer = await customerOf(buyer);
  const params = await checkoutParams({
    order,
    buyer,
    customer,
    coupon: wanted.coupon,
    item: item.kind === "upgrade" ? { ...item, plan: wanted.plan! } : item,
  });
  const session = await stripe().checkout.sessions.create(params, {
    idempotencyKey: `checkout-${order.id}-${order.attempt}-${digestOf(params)}`,
  });
  if (!session.url) throw new PaymentUnavailable(PROVIDER_DOWN);
  const recorded = unwrap(
    await service.rpc("checkout_opened", {
      order_id: order.id,
      attempt: order.attempt,
      session_id: session.id,
      customer_id: customer,
    }),
  );
  if (recorded) return session.url;
  // Somebody chose something else meanwhile. Nobody has this address yet.
  await expireCheckout(order.id, session.id, log);
  return null;
}

/** A key may be used again only with the same contents, so it differs where they do (when the customer is a new one). */
function digestOf(params: object): string {
  return createHash("sha256").update(JSON.stringify(params)).digest("base64url").slice(0, 16);
}

/** The address of the checkout that is open for an order; null when it turns out to be over. */
async function reuse({ order, session: id }: Running, log: Log): Promise<string | null> {
  const session = await found(stripe().checkout.sessions.retrieve(id));
  if (session?.status === "open" && session.url) return session.url;
  await settle({ orderId: order, sessionId: id }, { log });
  return null;
}

/** What is said when the payment provider can't be asked just now, and when it does not take what we ask: sentences for people. */
interface FailureWords {
  down: string;
  ourFault: string;
}

const OF_PAYING: FailureWords = { down: PROVIDER_DOWN, ourFault: OUR_FAULT };

/** A failure in words for whoever waits for it; one that is ours is logged. What is no failure of the payment provider's stays as it is. */
export function explainedPayment(
  error: unknown,
  log: Log,
  { down, ourFault } = OF_PAYING,
): unknown {
  if (error instanceof PaymentBusy) return new PaymentUnavailable(down);
  const failure = error instanceof CatalogueDiffers ? "misconfigured" : stripeFailure(error);
  if (failure === null) return error;
  const detail = { failure, reason: redactSecrets(String(error)) };
  if (failure === "unavailable") {
    log.warn(detail, "payment provider unavailable");
    return new PaymentUnavailable(down);
  }
  log.error(detail, "refused by the payment provider");
  return new PaymentUnavailable(ourFault);
}

/**
 * Gives up a checkout that its buyer came back from, or is about to change: it is closed, and dates that were held for it
 * are free again. The order stays and can be paid later. Nothing to close is fine.
 * @throws PaymentRefused when it turns out to be paid; PaymentUnavailable, DataError
 */
export async function abandonCheckout(
  { db, log }: Pick<Checkout, "db" | "log">,
  orderId: string,
): Promise<void> {
  const order = await ownOrder(db, orderId);
  if (!order) return;
  try {
    if (order.paid_at === null && order.stripe_checkout_session_id)
      await expireCheckout(order.id, order.stripe_checkout_session_id, log);
  } catch (error) {
    throw explainedPayment(error, log);
  }
  const now = await ownOrder(db, orderId);
  if (now && (now.paid_at !== null || now.status === "processing"))
    throw new PaymentRefused(REFUSALS[now.paid_at === null ? "processing" : "paid"]);
  if (order.sponsorship_id !== null)
    unwrap(await db.rpc("release_sponsorship_dates", { sponsorship_id: order.sponsorship_id }));
}

async function ownOrder(db: Db, id: string) {
  const found = await db
    .from("orders")
    .select("id, status, paid_at, sponsorship_id, stripe_checkout_session_id")
    .eq("id", id)
    .maybeSingle();
  unwrap(found);
  return found.data;
}
