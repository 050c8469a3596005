import type { Db } from "~/integrations/supabase/clients.server";
import { dataOf } from "~/integrations/supabase/data.server";

import { claimState } from "./rules";

/** As many cards as a page of the dashboard holds. */
export const PAGE_SIZE = 20;
const LONGEST_SEARCH = 200;

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
}

/** A listing as its card needs it. */
export interface DashboardListing extends Omit<Row, "owner" | "owner_email"> {
  type: "owned" | "unclaimed" | "other";
  hasOwnerEmail: boolean;
}

/** Which page of the dashboard is asked for. */
export interface DashboardQuery {
  search: string;
  /** Begin after this listing, or end before that one; the first page without either. */
  after: number | null;
  before: number | null;
}

/** One page of somebody's dashboard. */
export interface DashboardPage {
  listings: DashboardListing[];
  /** How many listings the person has, and how many of them the search finds. */
  all: number;
  total: number;
  /** The place of the page's first listing among those found, from 1; 0 when there is none. */
  first: number;
  /** The Monday of the running week, for naming the weeks of `weekly_views`. */
  week: string;
}

const idIn = (value: string | null) => (value !== null && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : null);

/** What the address of the dashboard asks for; anything malformed is as if it were not there. */
export function dashboardQuery(params: URLSearchParams): DashboardQuery {
  // The NUL character is no text that the database could look for; and no character is cut in half.
  const typed = Array.from((params.get("search") ?? "").replaceAll("\u0000", "").trim());
  const search = typed.slice(0, LONGEST_SEARCH).join("");
  return { search, after: idIn(params.get("after")), before: idIn(params.get("before")) };
}

/**
 * A page of the listings on somebody's dashboard: their own, and those that wait for them to claim (no owner, and
 * their confirmed e-mail address as owner_email). One call, by name, with the numbers of the page's listings.
 */
export async function dashboardPage(db: Db, person: { id: string; email: string }, query: DashboardQuery): Promise<DashboardPage> {
  const { search, after, before } = query;
  const page = dataOf(
    await db.rpc("my_listings", {
      page_rows: PAGE_SIZE,
      ...(search ? { search } : {}),
      ...(after === null ? {} : { after }),
      ...(before === null ? {} : { before }),
    }),
  ) as unknown as { rows: Row[]; all: number; total: number; first: number | null; week: string };
  return {
    listings: page.rows.map(({ owner, owner_email, ...listing }) => ({
      ...listing,
      type: claimState({ owner, owner_email }, person),
      hasOwnerEmail: owner_email !== null,
    })),
    all: page.all,
    total: page.total,
    first: page.first ?? 0,
    week: page.week,
  };
}
