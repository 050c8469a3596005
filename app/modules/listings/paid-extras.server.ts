import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { listBookedDates } from "~/modules/sponsorships/newsletters.server";

/** What a user has paid for that needs a listing which the public can find. */
export interface PaidExtras {
  /** Newsletters that it is booked for, by the order in which they can be canceled. */
  newsletters: { order: number; dates: string[] }[];
  /** How many jobs are live. Hiding the listing hides them. */
  jobs: number;
}

/**
 * The user's own booked newsletters and jobs of a listing. Those of other people are none of their
 * business, and not theirs to cancel. @throws DataError
 */
export async function findPaidExtras(db: Db, owner: string, listing: number): Promise<PaidExtras> {
  const [booked, jobs] = await Promise.all([
    listBookedDates(db, listing, owner),
    db
      .from("jobs")
      .select("id")
      .eq("owner", owner)
      .eq("place_id", listing)
      .eq("paid", true)
      .eq("published", true)
      .is("filled_at", null)
      .gt("expiration_date", new Date().toISOString()),
  ]);
  return {
    newsletters: [...booked].map(([order, dates]) => ({ order, dates })),
    jobs: unwrap(jobs).length,
  };
}

export const hasExtras = ({ newsletters, jobs }: PaidExtras): boolean =>
  newsletters.length > 0 || jobs > 0;
