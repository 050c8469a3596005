import { HttpError } from "~/http/errors.server";
import { parseRowId } from "~/text/row-id";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import {
  listLatestOrders,
  listLatestOrdersOfPage,
  type OrderSummary,
} from "~/modules/billing/orders.server";
import type { OrderState } from "~/modules/billing/rules";

import type { SponsorshipField } from "./fields";
import { centsOf, decimalOf, heldUntil, spotsAvailable, type NewsletterDate } from "./rules";

/** A listing that a feature can be about. */
export interface Business {
  id: number;
  name: string;
}

/** An order of features as its owner sees it. Money in cents; dates as YYYY-MM-DD. */
export interface Sponsorship {
  id: number;
  placeId: number;
  business: string;
  promoText: string;
  link: string | null;
  location: string | null;
  photoLocation: string | null;
  rateCents: number;
  dates: string[];
  totalCents: number;
  paid: boolean;
  version: number;
  createdAt: string;
  /** Until when its spots are held for a payment; null when they are not. */
  heldUntil: string | null;
  /** The dates it holds a spot of, for as long as that lasts. */
  holding: string[];
  /** How its payment stands; null when nobody tried to pay. */
  payment: OrderState | null;
  /** What was paid: less than the total where a promotion code took something off. */
  paidCents: number;
  /** Where the receipt is, once it is paid for. */
  receiptUrl: string | null;
}

/** How far ahead newsletters are on offer. */
export const WEEKS_AHEAD = 12;
/** Orders on one page of the list. */
export const PAGE_SIZE = 25;

const COLUMNS =
  "id, place_id, promo_text, link, location, photo_location, rate, sponsorship_dates, order_total, paid, version, created_at, place:places(name), spots:sponsorship_spots(weekday_date, held_until)";

interface Row {
  id: number;
  place_id: number;
  promo_text: string;
  link: string | null;
  location: string | null;
  photo_location: string | null;
  rate: number;
  sponsorship_dates: string[];
  order_total: number | null;
  paid: boolean;
  version: number;
  created_at: string;
  place: { name: string } | null;
  spots: { weekday_date: string; held_until: string | null }[];
}

/** Cents of dollars as the database gives them, which are exact to two decimals. */
const inCents = (dollars: number): number => centsOf(String(dollars)) ?? 0;

function sponsorshipOf(row: Row, payment: OrderSummary | undefined, now: Date): Sponsorship {
  const until = row.paid ? null : heldUntil(row.spots, now);
  return {
    id: row.id,
    placeId: row.place_id,
    business: row.place?.name ?? "A business that is no longer yours",
    promoText: row.promo_text,
    link: row.link,
    location: row.location,
    photoLocation: row.photo_location,
    rateCents: inCents(row.rate),
    dates: row.sponsorship_dates,
    totalCents: inCents(row.order_total ?? 0),
    paid: row.paid,
    version: row.version,
    createdAt: row.created_at,
    heldUntil: until,
    holding: until === null ? [] : row.spots.map(({ weekday_date }) => weekday_date),
    payment: payment?.state ?? null,
    paidCents: payment?.paidCents ?? inCents(row.order_total ?? 0),
    receiptUrl: row.paid ? (payment?.receiptUrl ?? null) : null,
  };
}

/** The newsletters on offer, the next first, with the spots that are left to everybody. */
export async function newsletterDates(db: Db): Promise<NewsletterDate[]> {
  const rows = unwrap(await db.rpc("get_available_sponsorship_dates", { weeks: WEEKS_AHEAD }));
  return rows.map(({ weekday_date, sponsorship_count }) => ({
    date: weekday_date,
    spots: spotsAvailable(sponsorship_count),
  }));
}

/** Somebody's own listings, by name. Those that were taken out of the directory can't be featured. */
export async function ownBusinesses(db: Db, owner: string): Promise<Business[]> {
  return unwrap(
    await db
      .from("places")
      .select("id, name")
      .eq("owner", owner)
      .neq("status", "archived")
      .order("name")
      .order("id"),
  );
}

/**
 * A page of somebody's orders, the newest first.
 * @param before the id of the order that the page comes after; from the newest when left out
 */
export async function sponsorshipsOf(
  db: Db,
  owner: string,
  before?: number,
): Promise<{ orders: Sponsorship[]; more: boolean }> {
  const query = db
    .from("sponsorships")
    .select(COLUMNS)
    .eq("owner", owner)
    .order("id", { ascending: false });
  const [answer, payments] = await Promise.all([
    (before === undefined ? query : query.lt("id", before)).limit(PAGE_SIZE + 1),
    listLatestOrdersOfPage(db, "sponsorship", { owner, before, maxOrders: PAGE_SIZE * 4 }),
  ]);
  const rows = unwrap(answer);
  const now = new Date();
  return {
    orders: rows.slice(0, PAGE_SIZE).map((row) => sponsorshipOf(row, payments.get(row.id), now)),
    more: rows.length > PAGE_SIZE,
  };
}

/** The same answer for an order that is somebody else's and for one that does not exist. */
function noSuchSponsorship(): HttpError {
  return new HttpError(
    404,
    "We can’t open that order",
    "You do not have permission to edit this sponsorship.",
  );
}

/**
 * One order of somebody's own. An admin's rights reach further; what is shown and paid here is one's own alone.
 * @param param the id in the address
 * @throws HttpError 404 with the same words whether it is another's or does not exist
 */
export async function ownSponsorship(
  db: Db,
  owner: string,
  param: string | undefined,
): Promise<Sponsorship> {
  const id = parseRowId(param);
  if (id === null) throw noSuchSponsorship();
  const [answer, payments] = await Promise.all([
    db.from("sponsorships").select(COLUMNS).eq("id", id).eq("owner", owner).maybeSingle(),
    listLatestOrders(db, "sponsorship", [id]),
  ]);
  unwrap(answer);
  if (!answer.data) throw noSuchSponsorship();
  return sponsorshipOf(answer.data, payments.get(id), new Date());
}

/** What is saved, as the form holds it. */
export function editableValues(
  sponsorship: Sponsorship,
): Record<SponsorshipField, string | string[]> {
  return {
    place_id: String(sponsorship.placeId),
    promo_text: sponsorship.promoText,
    link: sponsorship.link ?? "",
    location: sponsorship.location ?? "",
    photo_location: sponsorship.photoLocation ?? "",
    rate: decimalOf(sponsorship.rateCents),
    sponsorship_dates: sponsorship.dates,
  };
}
