import { z } from "zod";

import { formatCount } from "~/text/counts";
import { formatFullDate } from "~/text/dates";
import { formatDeadline } from "~/text/deadlines";

import { PaymentRefused } from "./payment-errors.server";

/** Why the database does not hold the spots of a sponsorship (`private.hold_spots`). */
export const heldSpotsRefusal = z.discriminatedUnion("refused", [
  z.object({ refused: z.literal("too-many-held"), held: z.number(), most: z.number() }),
  z.object({
    refused: z.literal("held-twice"),
    dates: z.array(z.string()),
    until: z.string(),
  }),
  z.object({
    refused: z.literal("dates"),
    dates: z.array(
      z.object({
        date: z.string(),
        outcome: z.enum(["held", "full", "blocked", "past", "duplicate"]),
      }),
    ),
  }),
]);

/** Explains to a buyer why the spots of an order are not held. Nothing was charged. */
export function explainHeldSpots(refusal: z.infer<typeof heldSpotsRefusal>): PaymentRefused {
  switch (refusal.refused) {
    case "too-many-held": {
      const { held, most } = refusal;
      const limit = `You can hold up to ${formatCount(most, "unpaid date")} at a time`;
      return new PaymentRefused(
        held === 0
          ? `${limit}. Your order is saved. Choose fewer dates to pay now, then book the others.`
          : `${limit}, and your other orders are holding ${held}. Your order is saved. Pay for those orders or cancel their payments first, or choose fewer dates here.`,
        [],
        true,
      );
    }
    case "held-twice":
      return new PaymentRefused(
        `We’ve held your spot on ${refusal.dates.map(formatFullDate).join(" and ")} twice without a payment. We can hold it again after ${formatDeadline(refusal.until)}. Your order is saved, so you can pay for it then or choose other dates now.`,
        [],
        true,
      );
    case "dates":
      return new PaymentRefused(
        "Some of your dates are no longer available. You weren’t charged. Please choose other dates.",
        refusal.dates.flatMap(({ date, outcome }) => (outcome === "held" ? [] : { date, outcome })),
      );
  }
}
