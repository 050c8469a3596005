/** What the dashboard of an owner shows, as its URL says it. Pure. */

import { paths } from "~/http/paths";
import { parseSearchText } from "~/text/search-text";

/** The chips beside "All", in their order. */
export const DASHBOARD_CHIPS = ["attention", "featured", "review", "hidden", "drafts"] as const;
export type DashboardChip = (typeof DASHBOARD_CHIPS)[number];

export interface DashboardQuery {
  search: string;
  /** The chip that is chosen; null for "All". */
  show: DashboardChip | null;
  /** From 1. */
  page: number;
}

/** The number of listings on a page of the dashboard. */
export const PAGE_SIZE = 20;

const MAX_PAGE = 1_000_000;

/** Reads the query of the dashboard's URL. Malformed parameters are ignored. */
export function parseDashboardQuery(params: URLSearchParams): DashboardQuery {
  // Links from the previous release say needs=you.
  const show = params.get("needs") === "you" ? "attention" : params.get("show");
  const page = params.get("page") ?? "";
  return {
    search: parseSearchText(params.get("search")),
    show: DASHBOARD_CHIPS.find((chip) => chip === show) ?? null,
    page: /^[1-9]\d{0,6}$/.test(page) ? Math.min(Number(page), MAX_PAGE) : 1,
  };
}

/** The query of a URL that shows the same: what the dashboard's links and forms take along. */
export function toUrlQuery({ search, show, page }: DashboardQuery) {
  return { show: show ?? undefined, search, page: page > 1 ? page : undefined };
}

/** The path of the dashboard as it is shown, to return to. */
export const toDashboardPath = (query: DashboardQuery): string =>
  paths.listingsPage(toUrlQuery(query));
