import { z } from "zod";

import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { tryToRecord } from "~/modules/billing/try-to-record.server";
import { formatCount } from "~/text/counts";
import { isCalendarDay } from "~/text/dates";

const DAYS = "Enter a number of days from 1 to 60.";

/** The team's form for the deadline of cancellations. */
export const deadlineSchema = z.object({
  days: z
    .string({ error: DAYS })
    .regex(/^\d{1,2}$/, DAYS)
    .transform(Number)
    .pipe(z.number().min(1, DAYS).max(60, DAYS)),
});

/** Until how many days before a newsletter its sponsors can cancel it. @throws DataError */
export async function readCancellationDays(db: Db): Promise<number> {
  return unwrap(await db.rpc("cancellation_days"));
}

/** Sets that deadline, for admins. @throws DataError */
export async function setCancellationDays(db: Db, days: number): Promise<void> {
  unwrap(await db.rpc("set_cancellation_days", { days }));
}

/**
 * Cancels the chosen newsletters of a paid order. The database frees their spots at once and requests the
 * refund, which Stripe makes now or, if it does not answer, the next night.
 * @throws DataError with the reason when they can't be canceled
 */
export async function cancelDates(
  { db, form, log }: Pick<ActionContext<"signed in">, "db" | "form" | "log">,
  sponsorshipId: number,
) {
  const dates = [
    ...new Set(form.getAll("date").filter((one) => typeof one === "string" && isCalendarDay(one))),
  ] as string[];
  const order = unwrap(
    await db.rpc("cancel_sponsorship_dates", { sponsorship_id: sponsorshipId, dates }),
  );
  const canceled = `${formatCount(dates.length, "newsletter")} canceled.`;
  const isRefunded = await tryToRecord(order, log);
  return redirectWithFlash(
    paths.sponsorship(sponsorshipId),
    isRefunded
      ? `${canceled} Your refund is on its way. We’ll email you about it.`
      : {
          tone: "info",
          text: `${canceled} We can’t reach our payment provider right now, so your refund will start tonight. We’ll email you about it.`,
        },
  );
}
