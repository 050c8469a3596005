import { redirect, type TypedResponse } from "@remix-run/node";

import { redirectWithFlash } from "~/http/flash.server";
import type { Log } from "~/http/log.server";
import { paths } from "~/http/paths";
import type { Session } from "~/http/session.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { openCheckout } from "~/modules/billing/checkout.server";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";

import { explainUnavailableDates } from "./unavailable-dates";

interface Context {
  db: Db;
  session: Session;
  log: Log;
}

/**
 * Holds the spots of an order and redirects to its payment. If that is not possible, the order stays,
 * and the next page says why: there, dates can be exchanged, or the order can be paid later.
 */
export async function payForSponsorship(
  { db, session, log }: Context,
  sponsorshipId: number,
): Promise<TypedResponse<never>> {
  try {
    const { url } = await openCheckout(
      { db, buyer: session.user, log },
      { kind: "sponsorship", sponsorshipId },
    );
    return redirect(url, 303);
  } catch (error) {
    if (!(error instanceof PaymentRefused || error instanceof PaymentUnavailable)) throw error;
    const canBeChanged = error instanceof PaymentRefused && error.canBeChanged;
    return redirectWithFlash(
      canBeChanged ? paths.sponsorship(sponsorshipId) : paths.sponsorships(),
      { tone: "problem", text: explainFailure(error) },
    );
  }
}

/** Why an order was not paid for. Its page lists the dates that no one can book, but not duplicates. */
function explainFailure(error: PaymentRefused | PaymentUnavailable): string {
  const duplicates =
    error instanceof PaymentRefused
      ? error.dates.flatMap(({ date, outcome }) =>
          outcome === "duplicate" ? { date, reason: outcome } : [],
        )
      : [];
  return [error.message, ...explainUnavailableDates(duplicates)].join(" ");
}
