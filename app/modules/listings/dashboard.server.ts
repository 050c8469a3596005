import { z } from "zod";

import { readRowPosition, type PagePosition } from "~/http/pagination";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { parseSearchText } from "~/text/search-text";

import {
  formatFavorites,
  formatNearbyUsers,
  formatViews,
  getListingCallouts,
  type ListingCallout,
} from "./dashboard-rules";
import { getOwnRole, type OwnRole } from "./rules";

/** The number of cards on a page of the dashboard. */
export const PAGE_SIZE = 20;

/** A listing as my_listings() returns it. */
const row = z.object({
  id: z.number(),
  name: z.string(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  status: z.string(),
  premium: z.boolean(),
  /** The same as premium: the name by which the app before this one highlighted a card. */
  premium2: z.boolean(),
  /** Null, like the other numbers, for a listing that is not Featured or not the caller's. */
  user_count_by_distance: z.number().nullable(),
  views: z.number().nullable(),
  favoritescount: z.number().nullable(),
  weekly_views: z.array(z.number()).nullable(),
  proxi_id: z.string().nullable(),
  subscription_status: z.string().nullable(),
  owner: z.string().nullable(),
  owner_email: z.string().nullable(),
  hidden: z.boolean(),
  archive_requested: z.boolean(),
  changes_requested: z.string().nullable(),
  /** The columns that the waiting edit changed. */
  changed: z.array(z.string()),
  rejected: z.object({ reason: z.string().nullable() }).nullable(),
  /** When a canceled subscription ends; null while it renews. */
  subscription_ends_at: z.string().nullable(),
});
type Row = z.infer<typeof row>;

const myListings = z.object({
  rows: z.array(row),
  all: z.number(),
  needing: z.number(),
  total: z.number(),
  first: z.number().nullable(),
  week: z.string(),
});

/** A listing as its card shows it, and nothing else: a page of twenty must load on slow lines. */
export interface DashboardListing extends Pick<
  Row,
  | "id"
  | "name"
  | "city"
  | "state"
  | "status"
  | "premium"
  | "premium2"
  | "proxi_id"
  | "hidden"
  | "archive_requested"
> {
  /** Oldest week first, joined with commas: a third of the bytes that an array would take. */
  weekly_views: string | null;
  role: OwnRole;
  callouts: ListingCallout[];
  /** Whether it has, or had, a plan that its owner can see. */
  hasPlan: boolean;
  /** Nearby users, views, and favorites as text; null for a listing that is not Featured. */
  stats: [nearby: string, views: string, favorites: string] | null;
}

/** The filter of the dashboard and its page. */
interface DashboardQuery {
  search: string;
  /** Only listings that need their owner's attention. */
  attention: boolean;
  position: PagePosition<number>;
}

/** One page of a user's dashboard. */
interface DashboardPage {
  listings: DashboardListing[];
  /** The number of all their listings, of those that need attention, and of those found. */
  all: number;
  waiting: number;
  total: number;
  /** The position of the page's first listing among those found, from 1; 0 if there is none. */
  first: number;
  /** The Monday of the current week, which names the weeks of `weekly_views`. */
  week: string;
}

/** Reads the query of the dashboard's URL. Malformed parameters are ignored. */
export function parseDashboardQuery(params: URLSearchParams): DashboardQuery {
  return {
    search: parseSearchText(params.get("search")),
    attention: params.get("needs") === "you",
    position: readRowPosition(params),
  };
}

/**
 * A page of a user's dashboard, by name: the listings that they own, manage, or may claim (no
 * owner, and their confirmed email address as owner_email). One database call.
 * @throws DataError
 */
export async function getDashboardPage(
  db: Db,
  userId: string,
  { search, attention, position }: DashboardQuery,
): Promise<DashboardPage> {
  const page = await callFunction(
    db,
    "my_listings",
    { page_rows: PAGE_SIZE, needing: attention, search, ...position },
    myListings,
  );
  return {
    listings: page.rows.map((listing) => toCard(listing, getOwnRole(listing, userId))),
    all: page.all,
    waiting: page.needing,
    total: page.total,
    first: page.first ?? 0,
    week: page.week,
  };
}

function toCard(listing: Row, role: OwnRole): DashboardListing {
  const { id, name, city, state, status, premium, premium2, proxi_id, hidden } = listing;
  return {
    id,
    name,
    city,
    state,
    status,
    premium,
    premium2,
    proxi_id,
    hidden,
    archive_requested: listing.archive_requested,
    weekly_views: listing.weekly_views?.join(",") ?? null,
    role,
    hasPlan: role === "owner" && listing.subscription_status !== null,
    callouts: getListingCallouts({ ...listing, role, hasOwnerEmail: listing.owner_email !== null }),
    stats: premium2
      ? [
          formatNearbyUsers(listing.user_count_by_distance),
          formatViews(listing.views),
          formatFavorites(listing.favoritescount),
        ]
      : null,
  };
}
