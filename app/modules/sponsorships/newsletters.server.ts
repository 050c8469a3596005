import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { isPublic } from "~/modules/listings/visibility-rules";
import { calendarDay, DAY_MS } from "~/text/dates";

import { countAvailableSpots, isNewsletterDay, listNewsletterDays } from "./rules";
import { getApprovedName, WEEKS_AHEAD } from "./sponsorship.server";

/** A newsletter, as the team sees it. */
export interface Newsletter {
  date: string;
  /** How many spots are paid for, and how many are held for buyers who are paying. */
  sold: number;
  held: number;
  /** How many of the held ones are paid for, with money that is still on its way. */
  onItsWay: number;
  spots: number;
  /** Whether the team blocked it, so that no one can choose it. */
  blocked: boolean;
}

/** A feature that is paid for, or whose payment is on its way. */
export interface Feature {
  id: number;
  onItsWay: boolean;
  /** Whether the public can't find its listing now: hidden, removed, flagged, or not approved. */
  notPublic: boolean;
  /** Whether its words are those of a former owner of the listing, of which the present one knows nothing. */
  byFormerOwner: boolean;
  business: string;
  promoText: string;
  link: string | null;
  location: string | null;
  photoLocation: string | null;
  /** When its order last changed, by which the team sees that its words may be others than those it copied. */
  changedAt: string;
}

/** Lists the newsletters of the coming weeks, with the one that may still go out today. For admins. @throws DataError */
export async function listUpcomingNewsletters(db: Db): Promise<Newsletter[]> {
  const now = new Date();
  const days = listNewsletterDays(now, WEEKS_AHEAD);
  const [spots, blocked, processing] = await Promise.all([
    db
      .from("sponsorship_spots")
      .select("sponsorship_id, weekday_date, held_until")
      .in("weekday_date", days),
    db
      .from("sponsorship_dates")
      .select("weekday_date")
      .in("weekday_date", days)
      .eq("blocked", true),
    listSponsorshipsOnTheirWay(db),
  ]);
  const taken = unwrap(spots).filter(
    ({ held_until }) => held_until === null || Date.parse(held_until) > now.getTime(),
  );
  const blockedDays = new Set(unwrap(blocked).map(({ weekday_date }) => weekday_date));
  return days.map((date) => {
    const spotsTaken = taken.filter(({ weekday_date }) => weekday_date === date);
    const sold = spotsTaken.filter(({ held_until }) => held_until === null).length;
    return {
      date,
      sold,
      held: spotsTaken.length - sold,
      onItsWay: spotsTaken.filter(
        ({ held_until, sponsorship_id }) => held_until !== null && processing.has(sponsorship_id),
      ).length,
      spots: countAvailableSpots(spotsTaken.length),
      blocked: blockedDays.has(date),
    };
  });
}

/** The sponsorships whose money is on its way, which takes days with some payment methods. */
async function listSponsorshipsOnTheirWay(db: Db): Promise<Set<number | null>> {
  const rows = unwrap(
    await db
      .from("orders")
      .select("sponsorship_id")
      .eq("status", "processing")
      .not("sponsorship_id", "is", null),
  );
  return new Set(rows.map(({ sponsorship_id }) => sponsorship_id));
}

/**
 * Lists the features of one newsletter, in the order of purchase, with those whose payment is on its way.
 * For admins. @throws DataError
 */
export async function listFeatures(db: Db, date: string): Promise<Feature[]> {
  const [spots, processing] = await Promise.all([
    db
      .from("sponsorship_spots")
      .select(
        "held_until, order:sponsorships(id, owner, promo_text, link, location, photo_location, modified_at, place:places(name, last_update, status, hidden, owner))",
      )
      .eq("weekday_date", date)
      .order("sponsorship_id"),
    listSponsorshipsOnTheirWay(db),
  ]);
  return unwrap(spots).flatMap(({ held_until, order }) =>
    order === null || (held_until !== null && !processing.has(order.id))
      ? []
      : {
          id: order.id,
          onItsWay: held_until !== null,
          notPublic: !order.place || !isPublic(order.place),
          byFormerOwner: order.place !== null && order.place.owner !== order.owner,
          business: order.place ? getApprovedName(order.place) : "",
          promoText: order.promo_text,
          link: order.link,
          location: order.location,
          photoLocation: order.photo_location,
          changedAt: order.modified_at,
        },
  );
}

/**
 * The newsletters that a listing is booked for, by sponsorship.
 * @param since from this day on
 * @param owner for theirs alone; without, for admins, all
 * @throws DataError
 */
export async function listBookedDates(
  db: Db,
  listing: number,
  since: string,
  owner?: string,
): Promise<Map<number, string[]>> {
  const coming = db
    .from("sponsorship_spots")
    .select("weekday_date, sponsorships!inner(id, owner, place_id)")
    .eq("sponsorships.place_id", listing)
    .is("held_until", null)
    .gte("weekday_date", since)
    .order("weekday_date");
  const spots = unwrap(
    await (owner === undefined ? coming : coming.eq("sponsorships.owner", owner)),
  );
  const dates = new Map<number, string[]>();
  for (const { weekday_date, sponsorships } of spots)
    dates.set(sponsorships.id, [...(dates.get(sponsorships.id) ?? []), weekday_date]);
  return dates;
}

/**
 * The newsletters that a listing is booked for, grouped by order, because the team refunds them on
 * the order's page.
 */
export interface Booking {
  order: string | null;
  dates: string[];
}

/** Lists the coming newsletters that a listing is booked for, by any account. For admins. @throws DataError */
export async function listBookings(db: Db, listing: number): Promise<Booking[]> {
  const [booked, orders] = await Promise.all([
    listBookedDates(db, listing, calendarDay(new Date(Date.now() + DAY_MS))),
    db
      .from("orders")
      .select("id, sponsorship_id, sponsorships!inner(place_id)")
      .eq("sponsorships.place_id", listing)
      .not("paid_at", "is", null)
      .is("revoked_at", null)
      .is("refund_reason", null),
  ]);
  const paid = unwrap(orders);
  return [...booked].map(([id, dates]) => ({
    order: paid.find(({ sponsorship_id }) => sponsorship_id === id)?.id ?? null,
    dates,
  }));
}

/**
 * Blocks newsletters, or offers them again. Spots that are sold or held stay. Safe to repeat.
 * @param dates the selected dates; those without a newsletter are ignored
 * @returns the dates of the newsletters
 * @throws DataError
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
