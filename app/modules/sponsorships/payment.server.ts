import { redirect, type TypedResponse } from "@remix-run/node";

import { redirectWithFlash } from "~/http/flash.server";
import type { Log } from "~/http/log.server";
import { paths } from "~/http/paths";
import type { Session } from "~/http/session.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { openCheckout } from "~/modules/billing/checkout.server";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";

import { listOwnSponsorships } from "./sponsorship.server";
import { explainUnavailableDates, explainUnpaidDuplicates } from "./unavailable-dates";

interface Context {
  db: Db;
  session: Session;
  log: Log;
}

/**
 * Holds the spots of an order and redirects to its payment. If that is not possible, the order
 * stays, and the next page says why. There, the buyer can choose other dates, or pay later.
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
      { tone: "problem", text: await explainFailure({ db, session }, sponsorshipId, error) },
    );
  }
}

/** Why an order was not paid for. Its page lists the dates that no one can book, but not duplicates. */
async function explainFailure(
  { db, session }: Pick<Context, "db" | "session">,
  sponsorshipId: number,
  error: PaymentRefused | PaymentUnavailable,
): Promise<string> {
  const refused = error instanceof PaymentRefused ? error.dates : [];
  const duplicates = refused.flatMap(({ date, outcome }) =>
    outcome === "duplicate" ? { date, reason: outcome } : [],
  );
  if (duplicates.length > 0 && duplicates.length === refused.length) {
    const { rows } = await listOwnSponsorships(db, session.user.id);
    const unpaid = rows.filter(({ id, paid }) => id !== sponsorshipId && !paid);
    const held = new Set(unpaid.flatMap(({ heldDates }) => heldDates));
    const days = duplicates.map(({ date }) => date);
    if (days.every((date) => held.has(date))) return explainUnpaidDuplicates(days);
  }
  return [error.message, ...explainUnavailableDates(duplicates)].join(" ");
}
