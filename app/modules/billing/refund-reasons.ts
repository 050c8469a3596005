import type { ItemKind } from "./catalog";

/**
 * What a full refund ends besides returning the money, by what was bought. (A listing follows its plan instead.) The
 * admin who refunds reads it, and so does the customer in their email.
 */
export const FULL_REFUND_ALSO: Record<Exclude<ItemKind, "upgrade">, string> = {
  job: "ends the days this payment bought",
  sponsorship: "cancels the newsletters that haven’t gone out yet",
};

/** Why a payment is refunded automatically, without anyone asking for it. Pure. */
export type AutomaticRefund =
  "paid-twice" | "dates-gone" | "too-late" | "blocked" | "changed" | "canceled" | "account-ends";

/** What a buyer reads on the page they return to after paying. */
export const PAGE_REFUND_REASONS: Record<AutomaticRefund, string> = {
  "paid-twice": "You paid for this twice, so we’re refunding the second payment in full.",
  "dates-gone":
    "Your payment arrived after we’d stopped holding your dates, and one of them has sold out. We’re refunding your payment in full. Please choose other dates.",
  "too-late":
    "Your payment arrived after one of these newsletters had closed. We’re refunding your payment in full. Please choose other dates.",
  blocked:
    "We’ve had to close one of these newsletters to sponsors. We’re refunding your payment in full. Please choose other dates.",
  changed:
    "What you paid for changed or ended before your payment arrived, so we’re refunding it in full. Please check it before you pay again.",
  canceled:
    "What you paid for was deleted before your payment arrived, so we’re refunding it in full.",
  "account-ends":
    "You’ve asked us to delete your account, so we’re refunding your payment in full.",
};

/** The same in the email about a refund; for refunds that someone asked for, too. */
export const EMAIL_REFUND_REASONS: Readonly<Record<string, string | undefined>> = {
  "paid-twice": "We refunded it because you’d paid twice.",
  "dates-gone":
    "Your payment arrived after we’d stopped holding your dates, and one of them has sold out. You can choose other dates and pay again.",
  "too-late":
    "Your payment arrived after one of these newsletters had closed. You can choose other dates and pay again.",
  blocked:
    "We’ve had to close one of these newsletters to sponsors. You can choose other dates and pay again.",
  changed:
    "What you paid for changed or ended before your payment arrived. Please check it before you pay again.",
  canceled: "We refunded it because you canceled.",
  "account-ends": "We refunded it because you’ve asked us to delete your account.",
  "plan-ends": "You were charged just before we could stop your plan, which has ended now.",
};
