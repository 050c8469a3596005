import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { listLatestOrders } from "~/modules/billing/orders.server";
import { readCancellationDays } from "~/modules/sponsorships/cancellation.server";
import { describeCopied } from "~/modules/sponsorships/feature-deadline";
import { listBookedDates } from "~/modules/sponsorships/newsletters.server";
import { getFirstOpenDay, listCancelableDates } from "~/modules/sponsorships/rules";
import { calendarDay } from "~/text/dates";

export interface BookedNewsletters {
  order: number;
  cancelable: string[];
  late: string[];
  /** Not late, but none can be canceled because of a dispute. */
  disputed: string[];
}

/** What a user has paid for that needs a listing which the public can find. */
export interface PaidExtras {
  /** Newsletters that it is booked for, by order: those that can be canceled there, and those for which it is too late. */
  newsletters: BookedNewsletters[];
  /** About the newsletters, today’s too, that may be written already; null when none may be. */
  copied: string | null;
  /** How many jobs are live. Hiding the listing hides them. */
  jobs: number;
}

/**
 * The user's own booked newsletters and jobs of a listing. Those of other people are none of their
 * business, and not theirs to cancel. @throws DataError
 */
export async function findPaidExtras(db: Db, owner: string, listing: number): Promise<PaidExtras> {
  const now = new Date();
  const today = calendarDay(now);
  const [booked, jobs] = await Promise.all([
    listBookedDates(db, listing, getFirstOpenDay(now), owner),
    db
      .from("jobs")
      .select("id")
      .eq("owner", owner)
      .eq("place_id", listing)
      .eq("paid", true)
      .eq("published", true)
      .is("filled_at", null)
      .gt("expiration_date", now.toISOString()),
  ]);
  const coming = [...booked]
    .map(([order, dates]) => ({ order, dates: dates.filter((date) => date > today) }))
    .filter(({ dates }) => dates.length > 0);
  return {
    newsletters: await splitByCancellation(db, coming, now),
    copied: describeCopied([...booked.values()].flat().sort(), now),
    jobs: unwrap(jobs).length,
  };
}

/** Splits the coming newsletters of the user's own orders as `cancel_sponsorship_dates` would. @throws DataError */
async function splitByCancellation(
  db: Db,
  coming: readonly { order: number; dates: string[] }[],
  now: Date,
): Promise<BookedNewsletters[]> {
  const payments = await listLatestOrders(
    db,
    "sponsorship",
    coming.map(({ order }) => order),
  );
  return Promise.all(
    coming.map(async ({ order, dates }) => {
      const inTime = listCancelableDates(dates, await readCancellationDays(db, order), now);
      const isDisputed = Boolean(payments.get(order)?.dispute);
      return {
        order,
        cancelable: isDisputed ? [] : inTime,
        late: dates.filter((date) => !inTime.includes(date)),
        disputed: isDisputed ? inTime : [],
      };
    }),
  );
}

export const hasExtras = ({ newsletters, copied, jobs }: PaidExtras): boolean =>
  newsletters.length > 0 || copied !== null || jobs > 0;
