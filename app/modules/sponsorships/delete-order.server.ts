import { HttpError } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { abandonCheckouts } from "~/modules/billing/checkout.server";
import { PaymentRefused, PaymentUnavailable } from "~/modules/billing/payment-errors.server";

import { getSponsorshipState } from "./rules";
import { findOwnSponsorship, type Sponsorship } from "./sponsorship.server";

/** What follows from deleting an order; null for one that can't be deleted. Its payment that is on its way comes anyway. */
export function explainDeletion(order: Sponsorship): string | null {
  const state = getSponsorshipState(order);
  if (state === "paid" || state === "confirming" || order.wasSent) return null;
  return state === "canceled"
    ? "Deleting this order can’t be undone. It doesn’t change your refund."
    : "If you delete this order, you won’t be charged for it. You can’t undo this.";
}

const GONE = "We couldn’t find that order among yours, so there’s nothing to delete.";

/**
 * Deletes an unpaid order. A checkout that is open for it is closed first, so that no one pays for
 * a deleted order. The spots that it held are free again. Safe to repeat after the response was
 * lost.
 * @throws DataError with the reason when it can't be deleted
 */
export async function deleteOrder(
  { db, log, session }: Pick<ActionContext<"signed in">, "db" | "log" | "session">,
  sponsorshipId: number,
) {
  try {
    await findOwnSponsorship(db, session.user.id, sponsorshipId);
    await abandonCheckouts({ db, log }, { sponsorship_id: sponsorshipId });
    // Also the spots of a checkout that has expired.
    unwrap(await db.rpc("release_sponsorship_dates", { sponsorship_id: sponsorshipId }));
  } catch (error) {
    if (error instanceof HttpError && error.status === 404)
      return redirectWithFlash(paths.sponsorships(), { tone: "info", text: GONE });
    if (!(error instanceof PaymentRefused || error instanceof PaymentUnavailable)) throw error;
    return redirectWithFlash(paths.sponsorship(sponsorshipId), {
      tone: "problem",
      text: error.message,
    });
  }
  const deleted = unwrap(
    await db.from("sponsorships").delete().eq("id", sponsorshipId).select("id"),
  );
  return deleted.length > 0
    ? redirectWithFlash(paths.sponsorships(), "Order deleted.")
    : redirectWithFlash(paths.sponsorship(sponsorshipId), {
        tone: "problem",
        text: "Only unpaid orders can be deleted. You can cancel this order’s dates instead.",
      });
}
