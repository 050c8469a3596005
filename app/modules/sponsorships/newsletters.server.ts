import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { isNewsletterDay, newsletterDays, spotsAvailable } from "./rules";
import { WEEKS_AHEAD } from "./sponsorship.server";

/** A newsletter as the team plans it. */
export interface Newsletter {
  date: string;
  /** Features that are paid for, and those that wait for a payment that runs. */
  sold: number;
  held: number;
  spots: number;
  /** The team keeps it free: nobody can choose it. */
  blocked: boolean;
}

/** What stands in a newsletter: a feature that is paid for. */
export interface Feature {
  id: number;
  business: string;
  promoText: string;
  link: string | null;
  location: string | null;
  photoLocation: string | null;
}

/** The newsletters of the coming weeks, today's included. For admins: others see none of it. */
export async function newslettersToCome(db: Db): Promise<Newsletter[]> {
  const now = new Date();
  const days = newsletterDays(now, WEEKS_AHEAD);
  const [spots, blocked] = await Promise.all([
    db.from("sponsorship_spots").select("weekday_date, held_until").in("weekday_date", days),
    db
      .from("sponsorship_dates")
      .select("weekday_date")
      .in("weekday_date", days)
      .eq("blocked", true),
  ]);
  const taken = unwrap(spots).filter(
    ({ held_until }) => held_until === null || Date.parse(held_until) > now.getTime(),
  );
  const kept = new Set(unwrap(blocked).map(({ weekday_date }) => weekday_date));
  return days.map((date) => {
    const here = taken.filter(({ weekday_date }) => weekday_date === date);
    const sold = here.filter(({ held_until }) => held_until === null).length;
    return {
      date,
      sold,
      held: here.length - sold,
      spots: spotsAvailable(here.length),
      blocked: kept.has(date),
    };
  });
}

/** The features of one newsletter, in the order they were bought. Of what is no newsletter there are none. */
export async function featuresOf(db: Db, date: string | null): Promise<Feature[]> {
  if (date === null || !isNewsletterDay(date)) return [];
  const rows = unwrap(
    await db
      .from("sponsorship_spots")
      .select(
        "order:sponsorships(id, promo_text, link, location, photo_location, place:places(name))",
      )
      .eq("weekday_date", date)
      .is("held_until", null)
      .order("sponsorship_id"),
  );
  return rows.flatMap(({ order }) =>
    order === null
      ? []
      : {
          id: order.id,
          business: order.place?.name ?? "",
          promoText: order.promo_text,
          link: order.link,
          location: order.location,
          photoLocation: order.photo_location,
        },
  );
}

/**
 * Keeps newsletters free, or offers them again. Spots that are sold or held stay as they are. Done twice, it is the same.
 * @param dates those chosen; what is no newsletter is left out
 * @returns those that were meant
 */
export async function blockNewsletters(
  db: Db,
  dates: readonly string[],
  blocked: boolean,
): Promise<string[]> {
  const days = [...new Set(dates)].filter(isNewsletterDay).sort();
  if (days.length === 0) return [];
  unwrap(await db.rpc("block_newsletters", { days, blocked }));
  return days;
}
