import { redirect, type TypedResponse } from "@remix-run/node";

import { redirectWithFlash } from "~/http/flash.server";
import type { Log } from "~/http/log.server";
import { paths } from "~/http/paths";
import type { Session } from "~/http/session.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { abandonCheckout, openCheckout } from "~/modules/billing/checkout.server";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";

interface Buying {
  db: Db;
  session: Session;
  log: Log;
}

/**
 * Holds the spots of an order and leads to its payment. When that can't be, the order is kept, and the next
 * page says why: dates that are gone can be exchanged there, and what is left can be paid later.
 */
export async function leadToPayment(
  { db, session, log }: Buying,
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
    const gone = error instanceof PaymentRefused && error.dates.length > 0;
    return redirectWithFlash(gone ? paths.sponsorship(sponsorshipId) : paths.sponsorships(), {
      tone: "problem",
      text: error.message,
    });
  }
}

/**
 * Ends the payment that is open for an order, if there is one: before the order is changed, so that nobody
 * pays an old price for it.
 * @throws PaymentUnavailable when the payment provider can't be asked: then the order can't be changed
 */
export async function closePayment(
  { db, log }: Pick<Buying, "db" | "log">,
  sponsorshipId: number,
): Promise<void> {
  const open = await db
    .from("orders")
    .select("id")
    .eq("sponsorship_id", sponsorshipId)
    .is("paid_at", null)
    .not("stripe_checkout_session_id", "is", null)
    .gt("expires_at", new Date().toISOString());
  for (const { id } of unwrap(open)) await abandonCheckout({ db, log }, id);
}
