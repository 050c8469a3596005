import { z } from "zod";

import { HttpError } from "~/http/errors.server";
import type { Page } from "~/http/pagination";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import {
  listLatestOrders,
  listLatestOrdersOfPage,
  type OrderSummary,
} from "~/modules/billing/orders.server";
import type { OrderState } from "~/modules/billing/rules";
import { isPublic } from "~/modules/listings/visibility-rules";
import { calendarDay } from "~/text/dates";
import { parseDollars } from "~/text/dollars";

import type { SponsorshipField } from "./fields";
import { countAvailableSpots, formatDecimal, getHoldEnd, type NewsletterDate } from "./rules";

/** A listing that a feature can be about. */
export interface Business {
  id: number;
  name: string;
  /** Whether everyone can find it. Until then, an order for it can be saved and not paid for. */
  isPublic: boolean;
}

/** An order of features, as its owner sees it. Money is in cents; dates are YYYY-MM-DD. */
export interface Sponsorship {
  id: number;
  placeId: number;
  business: string;
  /** Whether the business still belongs to the buyer. */
  ownsBusiness: boolean;
  /** Whether no one can find the business, so that the team leaves it out of its newsletters. */
  isUnseen: boolean;
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
  /** Until when its spots are held while its buyer pays; null when they are not. */
  heldUntil: string | null;
  /** The dates of the spots that it holds. */
  heldDates: string[];
  /** Whether a newsletter with its feature has gone out, also if it was refunded since. */
  wasSent: boolean;
  /** The state of its payment; null when no one tried to pay. */
  payment: OrderState | null;
  /** What was paid: less than the total if a promotion code was used. */
  paidCents: number;
  refundedCents: number;
  /** The buyer's dispute at their bank: it is open, or the bank returned money to them. */
  dispute: OrderSummary["dispute"];
  /** The address of the receipt, once the order is paid. */
  receiptUrl: string | null;
}

/** How many weeks ahead newsletters are offered. */
export const WEEKS_AHEAD = 12;
const PAGE_ROWS = 25;

const COLUMNS =
  "id, place_id, owner, promo_text, link, location, photo_location, rate, sponsorship_dates, order_total, paid, version, created_at, place:places(name, last_update, owner, status, hidden), spots:sponsorship_spots(weekday_date, held_until)";

interface Row {
  id: number;
  place_id: number;
  owner: string | null;
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
  place: {
    name: string;
    last_update: unknown;
    owner: string | null;
    status: string;
    hidden: boolean;
  } | null;
  spots: { weekday_date: string; held_until: string | null }[];
}

/**
 * What a listing is called in public, and so in a newsletter: while another name waits for review, the approved one.
 */
export const getApprovedName = ({
  name,
  last_update: approved,
}: {
  name: string;
  last_update: unknown;
}): string => z.object({ name: z.string() }).safeParse(approved).data?.name ?? name;

/** Cents of a dollar amount from the database, which is exact to two decimals. */
const toCents = (dollars: number): number => parseDollars(String(dollars)) ?? 0;

function toSponsorship(row: Row, payment: OrderSummary | undefined, now: Date): Sponsorship {
  const until = row.paid ? null : getHoldEnd(row.spots, now);
  return {
    id: row.id,
    placeId: row.place_id,
    business: row.place ? getApprovedName(row.place) : "A business you no longer own",
    ownsBusiness: row.place !== null && row.place.owner === row.owner,
    isUnseen: row.place !== null && !isPublic(row.place),
    promoText: row.promo_text,
    link: row.link,
    location: row.location,
    photoLocation: row.photo_location,
    rateCents: toCents(row.rate),
    dates: row.sponsorship_dates,
    totalCents: toCents(row.order_total ?? 0),
    paid: row.paid,
    version: row.version,
    createdAt: row.created_at,
    heldUntil: until,
    heldDates: until === null ? [] : row.spots.map(({ weekday_date }) => weekday_date),
    wasSent: row.spots.some(
      ({ weekday_date, held_until }) => held_until === null && weekday_date <= calendarDay(now),
    ),
    payment: payment?.state ?? null,
    paidCents: payment?.paidCents ?? toCents(row.order_total ?? 0),
    refundedCents: payment?.refundedCents ?? 0,
    dispute: payment?.dispute ?? null,
    receiptUrl: row.paid ? (payment?.receiptUrl ?? null) : null,
  };
}

/** Lists the newsletters on offer, the next first, with the spots that are left. @throws DataError */
export async function listOfferedNewsletters(db: Db): Promise<NewsletterDate[]> {
  const rows = unwrap(await db.rpc("get_available_sponsorship_dates", { weeks: WEEKS_AHEAD }));
  return rows.map(({ weekday_date, sponsorship_count }) => ({
    date: weekday_date,
    spots: countAvailableSpots(sponsorship_count),
  }));
}

/** Lists an owner's listings by name, the public ones first. Archived listings can't be sponsored. @throws DataError */
export async function listOwnBusinesses(db: Db, owner: string): Promise<Business[]> {
  const listings = unwrap(
    await db
      .from("places")
      .select("id, name, last_update, status, hidden")
      .eq("owner", owner)
      .neq("status", "archived")
      .order("name")
      .order("id"),
  );
  return listings
    .map(({ id, ...listing }) => ({
      id,
      name: getApprovedName(listing),
      isPublic: isPublic(listing),
    }))
    .sort((a, b) => Number(b.isPublic) - Number(a.isPublic));
}

/**
 * Reads a page of an owner's orders, the newest first.
 * @param below only orders with a lower id; from the newest when omitted
 * @throws DataError
 */
export async function listOwnSponsorships(
  db: Db,
  owner: string,
  below?: number,
): Promise<Page<Sponsorship, number>> {
  const query = db
    .from("sponsorships")
    .select(COLUMNS)
    .eq("owner", owner)
    .order("id", { ascending: false });
  const [answer, payments] = await Promise.all([
    (below === undefined ? query : query.lt("id", below)).limit(PAGE_ROWS + 1),
    listLatestOrdersOfPage(db, "sponsorship", { owner, below, maxOrders: PAGE_ROWS * 4 }),
  ]);
  const now = new Date();
  const all = unwrap(answer);
  const rows = all.slice(0, PAGE_ROWS).map((row) => toSponsorship(row, payments.get(row.id), now));
  return { rows, before: null, after: all.length > PAGE_ROWS ? rows.at(-1)!.id : null };
}

/** The same response for an order of someone else and for an order that does not exist. */
export function noSuchSponsorship(): HttpError {
  return new HttpError(404, "Order not found", "You do not have permission to edit this order.");
}

/**
 * Finds one of the owner's own orders. Row level security lets admins read every order, so the owner is
 * part of the query.
 * @throws HttpError 404, DataError
 */
export async function findOwnSponsorship(db: Db, owner: string, id: number): Promise<Sponsorship> {
  const [answer, payments] = await Promise.all([
    db.from("sponsorships").select(COLUMNS).eq("id", id).eq("owner", owner).maybeSingle(),
    listLatestOrders(db, "sponsorship", [id]),
  ]);
  unwrap(answer);
  if (!answer.data) throw noSuchSponsorship();
  return toSponsorship(answer.data, payments.get(id), new Date());
}

/**
 * Whether the buyer of a paid order may change its feature: while they own or manage the business.
 * @throws DataError
 */
export async function mayEditFeature(
  db: Db,
  { ownsBusiness, placeId }: Pick<Sponsorship, "ownsBusiness" | "placeId">,
): Promise<boolean> {
  if (ownsBusiness) return true;
  return unwrap(await db.from("managed_places").select("id").eq("id", placeId)).length > 0;
}

/** The values of a sponsorship in its form. */
export function toSponsorshipFormValues(
  sponsorship: Sponsorship,
): Record<SponsorshipField, string | string[]> {
  return {
    place_id: String(sponsorship.placeId),
    promo_text: sponsorship.promoText,
    link: sponsorship.link ?? "",
    location: sponsorship.location ?? "",
    photo_location: sponsorship.photoLocation ?? "",
    rate: formatDecimal(sponsorship.rateCents),
    sponsorship_dates: sponsorship.dates,
  };
}
