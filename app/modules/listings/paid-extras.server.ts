import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { describeCopied } from "~/modules/sponsorships/feature-deadline";
import { listBookedDates } from "~/modules/sponsorships/newsletters.server";
import { getFirstOpenDay } from "~/modules/sponsorships/rules";
import { calendarDay } from "~/text/dates";

/** What a user has paid for that needs a listing which the public can find. */
export interface PaidExtras {
  /** Newsletters that it is booked for, by the order in which they can be canceled. */
  newsletters: { order: number; dates: string[] }[];
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
  return {
    newsletters: [...booked]
      .map(([order, dates]) => ({ order, dates: dates.filter((date) => date > today) }))
      .filter(({ dates }) => dates.length > 0),
    copied: describeCopied([...booked.values()].flat().sort(), now),
    jobs: unwrap(jobs).length,
  };
}

export const hasExtras = ({ newsletters, copied, jobs }: PaidExtras): boolean =>
  newsletters.length > 0 || copied !== null || jobs > 0;
