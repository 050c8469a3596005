import { z } from "zod";

import { paths } from "~/http/paths";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { defineEmail } from "~/modules/emails/render-email.server";
import { formatDate } from "~/text/dates";
import { formatDeadline } from "~/text/deadlines";
import { isolate } from "~/text/isolate";

import { ITEM_LABELS, type ItemKind } from "./catalog";
import { describeCredit } from "./credit";
import { ASKED, HOW_TO_KEEP, LEAVES_WITH } from "./leaving";
import { describeCharge, formatDollars } from "./prices";
import { EMAIL_REFUND_REASONS, FULL_REFUND_ALSO } from "./refund-reasons";
import { describeAwaitedPayment, REFUNDED_ON_ARRIVAL, UNSEEN, withLastCharge } from "./rules";

const kind = z.enum(["job", "sponsorship", "upgrade"]);
const cents = z.number().int().nonnegative();
const listing = z.string().nullable().default(null);

/** The page that shows what was bought. */
const ITEM_PAGES: Record<ItemKind, string> = {
  job: paths.jobs(),
  sponsorship: paths.sponsorships(),
  upgrade: paths.listings(),
};

/** The listing that a plan is for; null while it is not the payer's own. */
const place = z.number().nullable().default(null);
/** Where a plan is managed. */
const getPlanPage = (place: number | null) =>
  place === null ? paths.purchases() : paths.billing(place);

/** False while no one sees the listing, because it is hidden, flagged, or not approved yet. */
const shown = z.boolean().default(true);
/** No other email says that a listing was flagged: its owner would go on paying for it. */
const describeUnseen = (isShown: boolean) => (isShown ? [] : [UNSEEN]);

const nameListing = (name: string | null) =>
  name === null ? "your listing" : `“${isolate(name)}”`;
/** The paragraph about what the payer of a running plan has in credit, if they have any. */
const describeCredits = (cents: number) =>
  [describeCredit(cents, true)].filter((one) => one !== null);
const RECEIPTS = "You’ll find all your receipts under My Account, in Purchases.";

/** An order was paid. */
export const orderReceipt = defineEmail(
  z.object({ kind, cents, receipt_url: z.string().nullable() }),
  (data, { appUrl }) => ({
    subject: "Your receipt",
    paragraphs: [
      data.cents > 0
        ? `Thank you! You paid ${formatDollars(data.cents)} for ${ITEM_LABELS[data.kind]}.`
        : `Thank you! There was nothing to pay for ${ITEM_LABELS[data.kind]}.`,
      ...(data.receipt_url
        ? [{ text: "Your receipt (this link works for 30 days)", url: data.receipt_url }, RECEIPTS]
        : []),
    ],
    action: { label: "See what you ordered", url: `${appUrl}${ITEM_PAGES[data.kind]}` },
  }),
);

/** A payment failed: of an order, or the next one of a subscription. */
export const paymentFailed = defineEmail(
  z.object({
    kind,
    listing,
    place,
    shown,
    next_attempt_at: z.string().nullable().default(null),
    /** Whether the listing stays Featured for now: not before its first payment. */
    featured: z.boolean().default(true),
  }),
  (data, { appUrl }) => ({
    subject: "A payment didn’t go through",
    paragraphs:
      data.kind === "upgrade"
        ? [
            data.featured
              ? `Your payment to keep ${nameListing(data.listing)} Featured didn’t go through. It stays Featured for now.`
              : `Your payment to feature ${nameListing(data.listing)} didn’t go through. The listing will be Featured once you’ve paid.`,
            data.next_attempt_at
              ? `We’ll try again on ${formatDeadline(data.next_attempt_at)}. Please update your card before then.`
              : data.featured
                ? "Please update your card now, or the listing will stop being Featured."
                : "Please update your card now.",
            ...describeUnseen(data.shown),
          ]
        : [
            `Your payment for ${ITEM_LABELS[data.kind]} didn’t go through, so you weren’t charged. Your order is saved, and you can try again.`,
          ],
    action:
      data.kind === "upgrade"
        ? {
            label: "Update your card",
            url: `${appUrl}${getPlanPage(data.place)}`,
          }
        : { label: "Try again", url: `${appUrl}${ITEM_PAGES[data.kind]}` },
  }),
);

/**
 * What else its buyer should know about a payment of which our team has refunded all: what that ends, or that their plan
 * goes on.
 */
function describeFullRefund(kind: ItemKind, continues: boolean): string[] {
  if (kind !== "upgrade") return [`That also ${FULL_REFUND_ALSO[kind]}.`];
  return continues
    ? [
        "Your plan continues, and you’ll be charged again when it renews. To stop that, cancel your plan.",
      ]
    : [];
}

/**
 * A payment was refunded, in full or in part, or a bank returned it after a dispute ("dispute"); or what credit has paid
 * is credit again.
 */
export const refundIssued = defineEmail(
  z.object({
    kind,
    cents,
    paid: cents.optional(),
    reason: z.string().nullable(),
    /** Whether our team has refunded all of the payment, and whether its plan is charged again. */
    full: z.boolean().default(false),
    continues: z.boolean().default(false),
    /** Whether these cents were credit. (Absent from a database of the previous release.) */
    credit: z.boolean().default(false),
  }),
  (data, { appUrl }) => {
    const isPart = data.paid !== undefined && data.cents < data.paid;
    const cents = formatDollars(data.cents);
    const amount = `${isPart ? `${cents} of the ${formatDollars(data.paid!)}` : `the ${cents}`} you paid for ${ITEM_LABELS[data.kind]}`;
    const reason = EMAIL_REFUND_REASONS[data.reason ?? ""];
    return {
      subject: data.reason === "dispute" ? "Your payment was returned" : "Your refund",
      paragraphs: [
        data.reason === "dispute"
          ? `After a dispute, your bank returned ${amount}.`
          : data.credit
            ? `We refunded the ${cents} of credit that paid for ${ITEM_LABELS[data.kind]}. It’s yours again.`
            : `We refunded ${amount}. It can take a few days to reach your account.`,
        ...(reason ? [reason] : []),
        ...(data.full ? describeFullRefund(data.kind, data.continues) : []),
      ],
      action: { label: "See your purchases", url: `${appUrl}${paths.purchases()}` },
    };
  },
);

const period = z.object({
  payment: z.string(),
  cents,
  listing,
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Whether the plan had ended when the money arrived. Emails that were queued before this was known don't have it. */
  ended: z.boolean().default(false),
  /** What the payer has in credit since. */
  credit: cents.default(0),
  /** Whether the plan costs nothing, as with a discount. (Absent from a database of the previous release.) */
  free: z.boolean().default(false),
  shown,
});

/** How the next period of a subscription was paid for, as the beginning of a sentence. */
function describeRenewal({ cents, free }: { cents: number; free: boolean }): string {
  if (cents > 0) return `You paid ${formatDollars(cents)} to keep`;
  return free
    ? "There was nothing to pay for your renewal. It keeps"
    : "Your credit covered your renewal, so there was nothing to pay. It keeps";
}

/** A subscription was charged for its next period. */
export const subscriptionRenewed = defineEmail(period, (data, { appUrl }) => ({
  subject: data.ended ? "Your late payment" : "Your renewal receipt",
  paragraphs: [
    data.ended
      ? `You paid ${formatDollars(data.cents)} for your plan for ${nameListing(data.listing)}, but that plan has already ended. Didn’t mean to? Please get in touch.`
      : `${describeRenewal(data)} ${nameListing(data.listing)} Featured${data.from && data.to ? ` from ${formatDate(data.from)} to ${formatDate(data.to)} (UTC)` : ""}.`,
    ...(data.ended ? [] : [...describeUnseen(data.shown), ...describeCredits(data.credit)]),
  ],
  action: { label: "See your receipt", url: `${appUrl}${paths.receipt(data.payment)}` },
}));

/** The plan of a subscription was changed. */
export const planChanged = defineEmail(period, (data, { appUrl }) => ({
  subject: "Your plan has changed",
  paragraphs: [
    data.cents > 0
      ? `Your plan for ${nameListing(data.listing)} has changed, and you paid ${formatDollars(data.cents)}. We’ve already credited the unused time on your old plan.`
      : `Your plan for ${nameListing(data.listing)} has changed. The unused time on your old plan covered the new one, so there was nothing to pay.`,
    ...(data.to
      ? // A bank debit for the change can arrive after the plan was canceled.
        [
          `Your listing is Featured until ${formatDeadline(data.to)}. Then your plan renews, unless you’ve canceled it.`,
        ]
      : []),
    ...describeUnseen(data.shown),
    ...describeCredits(data.credit),
  ],
  action: { label: "See your receipt", url: `${appUrl}${paths.receipt(data.payment)}` },
}));

/** A longer plan renews in a week. */
export const renewalComing = defineEmail(
  z.object({
    place,
    listing,
    cents,
    months: z.number(),
    at: z.string(),
    credit: cents.default(0),
    /** Whether tax is added. */
    plus_tax: z.boolean().default(false),
    shown,
  }),
  (data, { appUrl }) => ({
    subject: "Your plan renews soon",
    paragraphs: [
      `On ${formatDeadline(data.at)}, we’ll charge ${describeCharge(data.cents, data.plus_tax)} to keep ${nameListing(data.listing)} Featured for another ${data.months} months.`,
      ...describeUnseen(data.shown),
      ...describeCredits(data.credit),
      "There’s nothing you need to do. You can change or cancel your plan until then.",
    ],
    action: { label: "See your plan", url: `${appUrl}${getPlanPage(data.place)}` },
  }),
);

/**
 * Queues an email to the payer of each plan of six months or more that renews within seven days, and about newsletters
 * that are soon and that a listing is left out of: each once, however often this is called. For a scheduler.
 * @throws DataError
 */
export async function queueRenewalNotices(): Promise<void> {
  unwrap(await createServiceClient().rpc("enqueue_renewal_notices"));
}

const cancellation = z.object({
  place,
  listing,
  ends_at: z.string(),
  /** Its last payment did not go through, and Stripe goes on trying until it ends. */
  unpaid: z.boolean().default(false),
  /** Its first payment is on its way from the bank. */
  awaited: z.boolean().default(false),
  /** The debit of its last renewal is on its way from the bank. */
  awaits_renewal: z.boolean().default(false),
  /** What ends the plan at its payer's request: we have canceled it before it was charged again. */
  leaves_with: z.enum(LEAVES_WITH).nullable().default(null),
  /** Whether the listing went to someone else before the first payment arrived, so that it buys nothing. */
  left: z.boolean().default(false),
});

/** What happens to a plan that was canceled, and to its last payment. */
function describeCancellation(data: z.infer<typeof cancellation>): string {
  const [plan, end] = [nameListing(data.listing), formatDeadline(data.ends_at)];
  if (data.leaves_with)
    return withLastCharge(
      data.leaves_with === "listing"
        ? `You’ve asked us to remove ${plan}, so we’ve canceled its plan before its next bill`
        : `${ASKED[data.leaves_with]}, so we’ve canceled your plan for ${plan} before its next bill`,
      data.awaits_renewal,
    );
  if (data.unpaid)
    return `You’ve canceled your plan for ${plan}. It ends on ${end}. Your last payment hasn’t gone through, and we may retry it until then. To stop that, open your plan and cancel it again. It’ll end right away.`;
  if (data.left)
    return `You’ve canceled your plan for ${plan}. The listing isn’t yours anymore. ${REFUNDED_ON_ARRIVAL}`;
  if (data.awaited)
    return `You’ve canceled your plan. ${describeAwaitedPayment(plan, data.ends_at)}`;
  return withLastCharge(
    `You’ve canceled your plan for ${plan}. The listing stays Featured until ${end}`,
    data.awaits_renewal,
  );
}

/** A subscription was canceled, and ends later. */
export const subscriptionCanceled = defineEmail(cancellation, (data, { appUrl }) => ({
  subject: "Your cancellation",
  paragraphs: [
    describeCancellation(data),
    ...(data.leaves_with
      ? [
          `${HOW_TO_KEEP[data.leaves_with]} After that, you can keep your plan any time before it ends on ${formatDeadline(data.ends_at)}.`,
        ]
      : data.left
        ? []
        : ["Changed your mind? Open your plan and choose “Keep plan” before it ends."]),
  ],
  action: { label: "See your plan", url: `${appUrl}${getPlanPage(data.place)}` },
}));

function describeEnd(data: {
  listing: string | null;
  by_customer: boolean;
  by_us: boolean;
  left: boolean;
}): string {
  const plan = nameListing(data.listing);
  const end = data.by_us
    ? `Our team has ended your plan for ${plan}.`
    : `Your plan for ${plan} has ended${data.by_customer ? ", as you asked" : " because your payments didn’t go through"}.`;
  if (!data.left)
    return `${end} The listing is no longer Featured. Nothing else about it has changed.`;
  // It never was Featured for a payment that hadn't arrived.
  return data.by_us
    ? `${end} The listing isn’t yours anymore, and your payment for it hasn’t arrived.`
    : end;
}

/** A subscription has ended, so its listing is no longer Featured. */
export const subscriptionEnded = defineEmail(
  z.object({
    place,
    listing,
    by_customer: z.boolean(),
    /** Emails that were queued before this was known don't have it. */
    by_us: z.boolean().default(false),
    /** Whether a bill of it is on its way from a bank. */
    awaits: z.boolean().default(false),
    /** Whether the listing went to someone else before the first payment arrived. */
    left: z.boolean().default(false),
    /** Whether the listing can be upgraded: not when its payer has asked for what ended the plan, or it was removed. */
    again: z.boolean().default(true),
  }),
  (data, { appUrl }) => ({
    subject: "Your plan has ended",
    paragraphs: [
      describeEnd(data),
      ...(data.awaits ? [REFUNDED_ON_ARRIVAL] : []),
      ...(data.place !== null && data.again ? ["You can upgrade again any time."] : []),
    ],
    action:
      data.place !== null && data.again
        ? { label: "Choose a plan", url: `${appUrl}${paths.upgrade(data.place)}` }
        : { label: "See your purchases", url: `${appUrl}${paths.purchases()}` },
  }),
);

/** Our team has paused a plan at Stripe, so its listing is no longer Featured. */
export const planPaused = defineEmail(z.object({ place, listing }), (data, { appUrl }) => ({
  subject: "Your plan is paused",
  paragraphs: [
    `Your plan for ${nameListing(data.listing)} is paused. The listing isn’t Featured, and you aren’t charged. When the plan resumes, you’ll be charged again.`,
    "You can cancel it any time. If you have questions, please get in touch.",
  ],
  action: { label: "See your plan", url: `${appUrl}${getPlanPage(data.place)}` },
}));

const forTeam = z.object({ order: z.string().nullable(), kind, cents });
const openOrder = (order: string | null, appUrl: string) =>
  order === null
    ? { label: "See this month’s payments", url: `${appUrl}${paths.adminPayments()}` }
    : { label: "Open the order", url: `${appUrl}${paths.adminOrder(order)}` };

/** For the team: a customer disputes a payment at their bank, or the bank has returned it at once. */
export const paymentDisputed = defineEmail(
  forTeam.extend({
    /** Whether the money is lost already, as with a bank debit that is returned. */
    lost: z.boolean().default(false),
    /** Whether it paid for a plan that is charged again. */
    continues: z.boolean().default(false),
  }),
  (data, { appUrl }) => ({
    subject: data.lost ? "A payment was returned" : "A payment is disputed",
    paragraphs: data.lost
      ? [
          `A customer’s bank has returned the ${formatDollars(data.cents)} they paid for ${ITEM_LABELS[data.kind]}. Stripe has withdrawn the money, and there’s no dispute to answer.`,
          ...(data.continues
            ? [
                "The plan goes on, and will be charged again. If that’s not what you want, end it on the order’s page.",
              ]
            : []),
        ]
      : [
          `A customer has disputed ${formatDollars(data.cents)} for ${ITEM_LABELS[data.kind]} at their bank. Stripe has withdrawn the money for now.`,
          "Answer the dispute in Stripe’s dashboard before its deadline, or we’ll lose the money.",
        ],
    action: openOrder(data.order, appUrl),
  }),
);

/** For the team: a refund failed at the bank. */
export const refundFailed = defineEmail(forTeam, (data, { appUrl }) => ({
  subject: "A refund failed",
  paragraphs: [
    `A refund of ${formatDollars(data.cents)} for ${ITEM_LABELS[data.kind]} didn’t reach the customer because their bank sent it back.`,
    "We’ll try again tonight. If it keeps failing, please contact the customer.",
  ],
  action: openOrder(data.order, appUrl),
}));
