import { z } from "zod";

import { paths } from "~/http/paths";
import { defineEmail } from "~/modules/emails/render-email.server";

import { ITEM_LABELS, type ItemKind } from "./catalog";
import { formatDollars } from "./prices";

const kind = z.enum(["job", "sponsorship", "upgrade"]);
const cents = z.number().int().nonnegative();

/** The page that shows what was bought. */
const ITEM_PAGES: Record<ItemKind, string> = {
  job: paths.jobs(),
  sponsorship: paths.sponsorships(),
  upgrade: paths.listings(),
};

/** An order was paid. */
export const orderReceipt = defineEmail(
  z.object({ kind, cents, receipt_url: z.string().nullable() }),
  (data, { appUrl }) => ({
    subject: "Your receipt",
    paragraphs: [
      data.cents > 0
        ? `Thank you! You paid ${formatDollars(data.cents)} for ${ITEM_LABELS[data.kind]}.`
        : `Thank you! There was nothing to pay for ${ITEM_LABELS[data.kind]}.`,
      ...(data.receipt_url ? [`Your receipt: ${data.receipt_url}`] : []),
    ],
    action: { label: "See what you ordered", url: `${appUrl}${ITEM_PAGES[data.kind]}` },
  }),
);

/** A payment failed: of an order, or the next one of a subscription. */
export const paymentFailed = defineEmail(z.object({ kind }), (data, { appUrl }) => ({
  subject: "A payment didn’t go through",
  paragraphs:
    data.kind === "upgrade"
      ? [
          "Your last payment for a Featured listing didn’t go through. The listing stays Featured while your bank is asked again.",
          "To mend it, choose “Manage billing” on the listing’s card, and check or change your card there.",
        ]
      : [
          `Your payment for ${ITEM_LABELS[data.kind]} didn’t go through, so nothing was charged. Your order is kept: you can pay for it again.`,
        ],
  action: {
    label: data.kind === "upgrade" ? "Go to your listings" : "Pay again",
    url: `${appUrl}${ITEM_PAGES[data.kind]}`,
  },
}));

const REFUND_REASONS: Record<string, string> = {
  "paid-twice": "It was paid for twice, so you get the second payment back.",
  "dates-gone":
    "Your payment came after its dates were held for you, and one of them is sold out by now. You can choose other dates and pay again.",
  changed: "What you paid for was changed meanwhile. You can pay for it as it is now.",
};

/** A payment was refunded in full. */
export const refundIssued = defineEmail(
  z.object({ kind, cents, reason: z.string().nullable() }),
  (data, { appUrl }) => ({
    subject: "Your payment was returned",
    paragraphs: [
      `We returned ${formatDollars(data.cents)}, which you paid for ${ITEM_LABELS[data.kind]}. It can take a few days to reach your account.`,
      ...(data.reason && REFUND_REASONS[data.reason] ? [REFUND_REASONS[data.reason]!] : []),
    ],
    action: { label: "See your order", url: `${appUrl}${ITEM_PAGES[data.kind]}` },
  }),
);
