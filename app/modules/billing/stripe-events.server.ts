import type Stripe from "stripe";
import { z } from "zod";

import { env } from "~/env.server";
import { log, redactSecrets, type Log } from "~/http/log.server";
import { isStripeConfigured, stripe } from "~/integrations/stripe/client.server";
import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";
import { DataError } from "~/integrations/supabase/data.server";
import { parseUuid } from "~/text/uuid";

import { countUnrecordedEvent } from "./event-failures.server";
import { PaymentBusy } from "./payment-errors.server";
import { findPaymentTarget, type PaymentReference } from "./payment-records.server";
import { recordPayment } from "./record-payment.server";
import { countRejectedMessage } from "./rejected-messages.server";
import type { STRIPE_EVENTS } from "./stripe-setup.server";

/** A message with a valid signature. What it says may still be anything. */
interface SignedMessage {
  content: unknown;
}

/**
 * Verifies the signature of a message, and that it is recent.
 * @param body exactly as it arrived: the signature is over its bytes
 * @returns null when the signature is not valid
 */
export function verifyMessage(body: string, headers: Headers): SignedMessage | null {
  const signature = headers.get("Stripe-Signature");
  if (!isStripeConfigured() || !signature) return null;
  if (!isSigned(body, signature, MAX_AGE_S)) {
    countRejectedMessage(isSigned(body, signature, ANY_AGE) ? "late" : "signature", log());
    return null;
  }
  return { content: parseJson(body) };
}

function isSigned(body: string, signature: string, maxAgeS: number): boolean {
  try {
    const { webhooks } = stripe();
    webhooks.signature!.verifyHeader(body, signature, env().stripe!.webhookSecret, maxAgeS);
    return true;
  } catch {
    return false;
  }
}

/** How old a message may be, which is the SDK's default. A later delivery has a signature of its own. */
const MAX_AGE_S = 300;
/** For the SDK, no limit. */
const ANY_AGE = 0;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** An id at Stripe, in a form that can be looked up. */
const stripeId = z.string().regex(/^\w{1,255}$/);
/** A reference to another object: its id, or the object. Null for none. */
const reference = z
  .union([stripeId, z.object({ id: stripeId }).transform(({ id }) => id)])
  .nullish();
/** Our order's id in the metadata, if there is one. Other apps may use the same account. */
const ourMetadata = z
  .unknown()
  .optional()
  .transform((metadata) =>
    parseUuid(z.object({ order: z.unknown() }).safeParse(metadata).data?.order),
  );

const envelope = z.object({
  id: stripeId,
  type: z.string(),
  created: z.int().nonnegative(),
  data: z.object({ object: z.looseObject({ id: z.unknown() }) }),
});

/** Reads which payment an object of Stripe's is about; null when it is about none of ours. */
type ReferenceReader = z.ZodType<PaymentReference | null>;

/**
 * A checkout names its order in its metadata, which only we can write. Its `client_reference_id`
 * has the order's id, too, for people who look it up at Stripe; but anyone can put it into the
 * address of a payment link of the same account, and one payment would then pay for two things.
 */
const sessionReader: ReferenceReader = z
  .object({ id: stripeId, metadata: ourMetadata })
  .transform(({ id, metadata }) => ({ sessionId: id, orderId: metadata }));

const subscriptionReader: ReferenceReader = z
  .object({ id: stripeId, metadata: ourMetadata })
  .transform(({ id, metadata }) => ({ subscriptionId: id, orderId: metadata }));

const invoiceReader: ReferenceReader = z
  .object({
    parent: z
      .object({
        subscription_details: z
          .object({ subscription: reference, metadata: ourMetadata })
          .nullish(),
      })
      .nullish(),
  })
  .transform(({ parent }) => {
    const details = parent?.subscription_details;
    return details?.subscription
      ? { subscriptionId: details.subscription, orderId: details.metadata }
      : null;
  });

const refundReader: ReferenceReader = z
  .object({ payment_intent: reference, metadata: ourMetadata })
  .transform(({ payment_intent: intent, metadata }) =>
    intent ? { paymentIntentId: intent, orderId: metadata } : null,
  );

/**
 * How to read each event that Stripe is asked for: the type checker names one that is missing. Nothing
 * else in an event is used: it may be old, or arrive late.
 */
const READERS: Readonly<Record<(typeof STRIPE_EVENTS)[number], ReferenceReader>> = {
  "checkout.session.completed": sessionReader,
  "checkout.session.async_payment_succeeded": sessionReader,
  "checkout.session.async_payment_failed": sessionReader,
  "checkout.session.expired": sessionReader,
  "customer.subscription.created": subscriptionReader,
  "customer.subscription.updated": subscriptionReader,
  "customer.subscription.deleted": subscriptionReader,
  "customer.subscription.paused": subscriptionReader,
  "customer.subscription.resumed": subscriptionReader,
  "invoice.paid": invoiceReader,
  "invoice.payment_failed": invoiceReader,
  "charge.refunded": refundReader,
  "refund.created": refundReader,
  "refund.updated": refundReader,
  "refund.failed": refundReader,
  "charge.dispute.created": refundReader,
  "charge.dispute.updated": refundReader,
  "charge.dispute.closed": refundReader,
};

type KnownEvent = keyof typeof READERS & Stripe.Event["type"];
const isKnown = (type: string): type is KnownEvent => Object.hasOwn(READERS, type);

/** An event's id and type for the log, whatever the message is. */
function describeMessage(content: unknown): { event: string | null; type: string | null } {
  const short = z
    .string()
    .regex(/^[\w.]{1,100}$/)
    .nullable()
    .catch(null);
  const described = z.object({ id: short, type: short }).safeParse(content).data;
  return { event: described?.id ?? null, type: described?.type ?? null };
}

/**
 * What happened to a message:
 * - `done`: it had its effect, or is none of ours; sending it again would change nothing
 * - `unavailable`: the database or Stripe does not answer now
 * - `failed`: it could not be recorded, which someone has to look into
 */
type Outcome = "done" | "unavailable" | "failed";

/**
 * Records what a message is about. It has its effect once, however often it arrives. After any outcome
 * but "done", Stripe should send it again.
 */
export async function receiveMessage({ content }: SignedMessage, log: Log): Promise<Outcome> {
  const about = describeMessage(content);
  const event = envelope.safeParse(content).data;
  if (!event) {
    log.warn(about, "signed message is not an event; set aside");
    return "done";
  }
  if (!isKnown(event.type)) {
    log.warn(about, "event type we don’t subscribe to; set aside");
    return "done";
  }
  const { object } = event.data;
  const payment = READERS[event.type].safeParse(object);
  if (!payment.success) {
    log.warn(about, "event could not be read; set aside");
    return "done";
  }
  if (payment.data === null) {
    log.debug(about, "event ignored");
    return "done";
  }
  const recorded = { id: event.id, type: event.type, created: event.created };
  try {
    const isOurs = await recordPayment(payment.data, {
      event: { ...recorded, object: stripeId.safeParse(object.id).data ?? null },
      log,
    });
    if (!isOurs) log.info(about, "event is not about one of our payments");
    return "done";
  } catch (error) {
    return reportFailure(error, about, payment.data, log);
  }
}

/** Logs why an event was not recorded: its id, its order's, and the kind of failure, but no values. */
async function reportFailure(
  error: unknown,
  about: ReturnType<typeof describeMessage>,
  payment: PaymentReference,
  log: Log,
): Promise<Outcome> {
  const failure =
    error instanceof PaymentBusy
      ? "unavailable"
      : error instanceof DataError
        ? error.failure
        : classifyStripeError(error);
  if (failure === "unavailable") {
    const order = payment.orderId ?? null;
    const reason = redactSecrets(String(error));
    log.warn({ ...about, order, reason }, "payment event deferred; Stripe will send it again");
    return "unavailable";
  }
  countUnrecordedEvent(new Date());
  const order = await findOrder(payment);
  log.error(
    { ...about, order, failure, ...describeCause(error) },
    "payment event could not be recorded",
  );
  return "failed";
}

/** The order of a payment, even if the event does not name the order. */
async function findOrder(payment: PaymentReference): Promise<string | null> {
  const target = await findPaymentTarget(payment).catch(() => null);
  return target?.order ?? payment.orderId ?? null;
}

/** The database's messages may quote values, so its codes must do. */
function describeCause(error: unknown) {
  if (error instanceof DataError) {
    const { code, constraint, reason, column } = error;
    return { code, constraint, reason, column };
  }
  return error instanceof Error
    ? {
        kind: error.name,
        reason: redactSecrets(error.message),
        stack: redactSecrets(error.stack ?? ""),
      }
    : { kind: typeof error };
}
