import Stripe from "stripe";

import { classifyStripeError } from "~/integrations/stripe/stripe-error.server";

import { fine, wrong, type Finding } from "./finding";

const KEYS_PAGE = "https://dashboard.stripe.com/apikeys";
/** The id of an object that can't exist: a change of it is refused, and changes nothing. */
const NO_ONE = "doctor_none";

/**
 * The permissions of docs/payments.md that the dashboard's own key needs, besides those that the checks
 * of the catalog use. Stripe looks at the permission before it looks for the object, so a change of an
 * object that does not exist tells whether changes are allowed.
 */
const PERMISSIONS: readonly {
  name: string;
  effect: string;
  tryIt: (stripe: Stripe) => Promise<unknown>;
}[] = [
  {
    name: "Customers: Write",
    effect: "No one can buy anything.",
    tryIt: (stripe) => stripe.customers.update(NO_ONE, {}),
  },
  {
    name: "Checkout Sessions: Write",
    effect: "No one can buy anything.",
    tryIt: (stripe) => stripe.checkout.sessions.expire(NO_ONE),
  },
  {
    name: "Charges and Refunds: Write",
    effect: "Refunds fail, including automatic ones.",
    tryIt: (stripe) => stripe.refunds.update(NO_ONE, {}),
  },
  {
    name: "Subscriptions: Write",
    effect: "Plans can’t be ended, or recorded.",
    tryIt: (stripe) => stripe.subscriptions.update(NO_ONE, {}),
  },
  {
    name: "Customer portal: Write",
    effect: "Owners can’t change their plan or card.",
    tryIt: (stripe) =>
      stripe.billingPortal.sessions.create({
        customer: NO_ONE,
        return_url: "https://example.org",
      }),
  },
  {
    name: "PaymentIntents: Read",
    effect: "Payments can’t be recorded.",
    tryIt: (stripe) => stripe.paymentIntents.retrieve(NO_ONE),
  },
  {
    name: "Invoices: Write",
    effect:
      "Canceling a plan whose last payment failed ends with an error. Without “Read”, renewals can’t be recorded, and have no receipts.",
    tryIt: (stripe) => stripe.invoices.voidInvoice(NO_ONE),
  },
  {
    name: "Disputes: Read",
    effect: "Disputes can’t be recorded.",
    tryIt: (stripe) => stripe.disputes.retrieve(NO_ONE),
  },
  {
    name: "Events: Read",
    effect: "/metrics can’t say how many payment events haven’t arrived.",
    tryIt: (stripe) => stripe.events.retrieve(NO_ONE),
  },
];

/** Whether Stripe refused a call because a permission is missing. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripePermissionError;

/** The line about a permission that the dashboard's key lacks. */
export const lacks = (permission: string, effect: string): Finding =>
  wrong(
    `STRIPE_SECRET_KEY lacks the permission “${permission}”`,
    effect,
    `Add it to the restricted key: ${KEYS_PAGE} (the table is in docs/payments.md)`,
  );

/** Whether the key is of the mode that it should be. A test key takes no real money. */
export function judgeMode(key: string, appUrl: string, isStandIn: boolean): Finding {
  if (isStandIn) return fine("The stand-in for Stripe on this machine: no real money");
  const isLive = key.startsWith("sk_live_") || key.startsWith("rk_live_");
  const isPublic = appUrl.startsWith("https:");
  if (isLive && isPublic) return fine("A live key");
  if (isLive)
    return wrong(
      "A live key is used on this machine",
      "Trying things out here charges real cards.",
      `Use a test key: ${KEYS_PAGE}`,
    );
  return isPublic
    ? wrong(
        "STRIPE_SECRET_KEY is a test key, but the address is public",
        "Anyone can “buy” with a test card, and no one can pay.",
        `Use a live one: ${KEYS_PAGE}. For a staging site this is right.`,
      )
    : fine("A test key");
}

/** What the key may do. @throws Stripe's errors, other than those about permissions */
export async function checkPermissions(stripe: Stripe, key: string): Promise<Finding[]> {
  const missing = await Promise.all(
    PERMISSIONS.map(async ({ name, effect, tryIt }) => {
      try {
        await tryIt(stripe);
        return [];
      } catch (error) {
        if (isForbidden(error)) return [lacks(name, effect)];
        // Whatever else Stripe refuses it for, the key was allowed to ask.
        if (["missing", "refused"].includes(classifyStripeError(error) ?? "")) return [];
        throw error;
      }
    }),
  );
  const findings = missing.flat();
  if (findings.length > 0) return findings;
  return [
    fine(
      key.startsWith("sk_")
        ? "The key may do everything. A restricted one is safer (docs/payments.md)"
        : "The restricted key has the permissions that the dashboard uses",
    ),
  ];
}
