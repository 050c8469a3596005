import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { parseRowId } from "~/text/row-id";
import { parseSearchText } from "~/text/search-text";

import {
  favoritesInWords,
  nearbyInWords,
  needsOf,
  viewsInWords,
  type Need,
} from "./dashboard-rules";
import { claimState } from "./rules";

/** As many cards as a page of the dashboard holds. */
export const PAGE_SIZE = 20;

/** One listing of the dashboard, as the database gives it. */
interface Row {
  id: number;
  name: string;
  city: string | null;
  state: string | null;
  status: string;
  premium: boolean;
  premium2: boolean;
  /** Null for what is not featured. */
  user_count_by_distance: number | null;
  views: number | null;
  favoritescount: number | null;
  weekly_views: number[] | null;
  proxi_id: string | null;
  subscription_status: string | null;
  owner: string | null;
  owner_email: string | null;
  hidden: boolean;
  archive_requested: boolean;
  changes_requested: string | null;
  changed: string[];
  rejected: { reason: string | null } | null;
  /** When its subscription ends by itself; null while it goes on. */
  subscription_ends_at: string | null;
}

/** A listing as its card shows it, and nothing else: a page of twenty goes over slow lines. */
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
  /** By week, the oldest first, with commas between: a third of the bytes that twelve numbers are on the wire. */
  weekly_views: string | null;
  /** Theirs, theirs to claim, or managed by them for its owner. */
  type: "owned" | "unclaimed" | "managed";
  needs: Need[];
  /** Nearby users, views and favorites, in words; null for what is not Featured. */
  stats: [nearby: string, views: string, favorites: string] | null;
}

/** Which page of the dashboard is asked for. */
export interface DashboardQuery {
  search: string;
  /** Only the listings that wait for their owner's hand. */
  needing: boolean;
  /** Begin after this listing, or end before that one; the first page without either. */
  after: number | null;
  before: number | null;
}

/** One page of somebody's dashboard. */
export interface DashboardPage {
  listings: DashboardListing[];
  /** How many listings the person has, how many of them wait for their hand, and how many were found for the query. */
  all: number;
  waiting: number;
  total: number;
  /** The place of the page's first listing among those found, from 1; 0 when there is none. */
  first: number;
  /** The Monday of the running week, for naming the weeks of `weekly_views`. */
  week: string;
}

/** What the address of the dashboard asks for; anything malformed is as if it were not there. */
export function dashboardQuery(params: URLSearchParams): DashboardQuery {
  return {
    search: parseSearchText(params.get("search")),
    needing: params.get("needs") === "you",
    after: parseRowId(params.get("after")),
    before: parseRowId(params.get("before")),
  };
}

/**
 * A page of the listings on somebody's dashboard: their own, those they manage for others, and those that wait for them
 * to claim (no owner, and their confirmed e-mail address as owner_email). One call, by name, with the numbers of the
 * page's listings.
 */
export async function dashboardPage(
  db: Db,
  person: { id: string; email: string },
  query: DashboardQuery,
): Promise<DashboardPage> {
  const { search, needing, after, before } = query;
  const page = unwrap(
    await db.rpc("my_listings", {
      page_rows: PAGE_SIZE,
      needing,
      ...(search ? { search } : {}),
      ...(after === null ? {} : { after }),
      ...(before === null ? {} : { before }),
    }),
  ) as unknown as {
    rows: Row[];
    all: number;
    needing: number;
    total: number;
    first: number | null;
    week: string;
  };
  return {
    listings: page.rows.map((row) => onCard(row, person)),
    all: page.all,
    waiting: page.needing,
    total: page.total,
    first: page.first ?? 0,
    week: page.week,
  };
}

function onCard(row: Row, person: { id: string; email: string }): DashboardListing {
  const {
    id,
    name,
    city,
    state,
    status,
    premium,
    premium2,
    weekly_views,
    proxi_id,
    hidden,
    archive_requested,
  } = row;
  const claim = claimState(row, person);
  const type = claim === "other" ? "managed" : claim;
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
    archive_requested,
    weekly_views: weekly_views?.join(",") ?? null,
    type,
    needs: needsOf({ ...row, type, hasOwnerEmail: row.owner_email !== null }),
    stats: premium2
      ? [
          nearbyInWords(row.user_count_by_distance),
          viewsInWords(row.views),
          favoritesInWords(row.favoritescount),
        ]
      : null,
  };
}
