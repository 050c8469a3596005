import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { versionConflictMessage } from "~/http/version-conflict";
import { abandonCheckouts } from "~/modules/billing/checkout.server";

import { payForSponsorship } from "./payment.server";
import { describeSaved, SENT } from "./feature-deadline";
import { addHeldSpots, hasUpcomingDate } from "./rules";
import { changesOrder, isSaved, saveSponsorship } from "./save-sponsorship.server";
import {
  saveErrorResponse,
  sponsorshipErrorResponse,
  validateFeature,
  validateSponsorship,
} from "./sponsorship-form.server";
import { listOfferedNewsletters, type Sponsorship } from "./sponsorship.server";

type Context = Pick<ActionContext<"signed in">, "db" | "form" | "log" | "session">;

/** Of a form of the whole order, which was paid for while it was open. */
const PAID_MEANWHILE =
  "This order was paid for while you were editing, so its business, price and dates can’t change anymore. What you typed for your feature isn’t lost: check it, then save again.";

/** Saves what a paid sponsorship says, until its newsletter is published. */
export async function saveFeature({ form, db }: Context, current: Sponsorship) {
  const result = validateFeature(form);
  if ("errorResponse" in result) return result.errorResponse;
  const { submission, values } = result;
  if (!hasUpcomingDate(current.dates, new Date()))
    return sponsorshipErrorResponse(submission, { status: 409, errors: { "": [SENT] } });
  try {
    if ((await saveSponsorship(db, current, values)) === "stale")
      return staleResponse(submission, form.has("rate") ? PAID_MEANWHILE : undefined);
  } catch (error) {
    return saveErrorResponse(submission, error);
  }
  return redirectWithFlash(paths.sponsorship(current.id), describeSaved(current.dates, new Date()));
}

/** Saves an unpaid order, and goes on to its payment once it has dates. */
export async function saveOrder({ form, db, session, log }: Context, current: Sponsorship) {
  const offered = addHeldSpots(await listOfferedNewsletters(db), current.heldDates);
  const result = validateSponsorship(form, offered);
  if ("errorResponse" in result) return result.errorResponse;
  const { submission, values } = result;
  const isNewer = values.version !== undefined && values.version !== current.version;
  // Before its open checkout is closed for a change that won't be saved.
  if (isNewer && !(await isSaved(db, current.id, values))) return staleResponse(submission);
  try {
    if (changesOrder(current, values))
      await abandonCheckouts({ db, log }, { sponsorship_id: current.id });
    if ((await saveSponsorship(db, current, values)) === "stale") return staleResponse(submission);
  } catch (error) {
    return saveErrorResponse(submission, error);
  }
  if (values.sponsorship_dates.length === 0)
    return redirectWithFlash(
      paths.sponsorships(),
      "Order saved. You can pay once you’ve picked dates.",
    );
  return payForSponsorship({ db, session, log }, current.id);
}

const staleResponse = (
  submission: Parameters<typeof sponsorshipErrorResponse>[0],
  message = versionConflictMessage("order"),
) =>
  sponsorshipErrorResponse(submission, {
    status: 409,
    stale: true,
    errors: { "": [message] },
  });
