/**
 * What the review desk's table is narrowed down to, as an address says it and as the database takes it. Pure.
 * The keys and their values are those of the database's `review_filter`; what it does not understand finds
 * nothing there, so that a mistake never selects more than was meant. Nothing is judged a second time here.
 */
import { paths } from "~/http/paths";

/** The five tables, by the listings that they begin from. */
export const LISTING_VIEWS = ["all", "pending", "flagged", "new", "premium"] as const;
export type ListingView = (typeof LISTING_VIEWS)[number];

const FILTER_KEYS = [
  "view",
  "search",
  "status",
  "category",
  "state",
  "premium",
  "email",
  "complete",
  "age",
  "edit",
  "archive",
  "asked",
  "sort",
] as const;

/**
 * By key: `view` (a table), `search` (words of the name), `status`, `category` (id), `state`, `premium`, `email`, `complete`
 * and `asked` ("yes", "no"), `age` (days waited at least), `edit` (all that a waiting edit touches), `archive` ("requested"),
 * `sort`. What is not asked for is left out.
 */
export type ListingsFilter = Partial<Record<(typeof FILTER_KEYS)[number], string>>;

/** How many rows a page of the table may have, and how many it has when nobody asks. */
export const PAGE_SIZES = [50, 100, 250] as const;
export const USUAL_SIZE = 250;

/** How a page's size stands in an address: not at all when it is the usual one. */
export const sizeInAddress = (size: number) => (size === USUAL_SIZE ? undefined : size);

/** A value may be as long as the words of a search. */
const MOST_CHARACTERS = 200;

/**
 * The filter that an address asks for.
 * @param view of the table whose address it is; without one, the address names it itself
 */
export function listingsFilter(params: URLSearchParams, view?: ListingView): ListingsFilter {
  const asked = FILTER_KEYS.flatMap((key) => {
    const value = Array.from((params.get(key) ?? "").replaceAll("\u0000", "").trim())
      .slice(0, MOST_CHARACTERS)
      .join("");
    return value === "" ? [] : [[key, value] as const];
  });
  const filter: ListingsFilter = Object.fromEntries(asked);
  if (view === undefined) return filter;
  const { view: _, ...rest } = filter;
  // That it is of all listings need not be said.
  return view === "all" ? rest : { view, ...rest };
}

const TABLES: Record<
  ListingView,
  (query: Readonly<Record<string, string | number | undefined>>) => string
> = {
  all: paths.adminListings,
  pending: paths.adminPending,
  flagged: paths.adminFlagged,
  new: paths.adminNew,
  premium: paths.adminPremium,
};

/** The table that a filter begins from; all listings, when it names none that there is. */
export function viewOf({ view }: ListingsFilter): ListingView {
  return LISTING_VIEWS.find((one) => one === view) ?? "all";
}

/**
 * The address of the table under a filter.
 * @param place which page of it, and of how many rows
 */
export function listingsTable(
  filter: ListingsFilter,
  place: Record<string, string | number | undefined> = {},
): string {
  const { view: _, ...query } = filter;
  return TABLES[viewOf(filter)]({ ...query, ...place });
}

/** Whether a table is narrowed down beyond what it begins from; in which order it stands is no matter. */
export function isNarrowed({ view: _, sort: __, ...rest }: ListingsFilter): boolean {
  return Object.keys(rest).length > 0;
}

/** A filter under a name. */
export interface NamedFilter {
  name: string;
  filter: ListingsFilter;
}

/** The filters that are there from the start. */
export const FIXED_VIEWS: readonly NamedFilter[] = [
  { name: "New, complete, oldest first", filter: { view: "new", complete: "yes", sort: "oldest" } },
  { name: "Contact-only updates", filter: { view: "pending", edit: "contact" } },
  { name: "Phone numbers only", filter: { view: "pending", edit: "phone" } },
  { name: "Missing owner e-mail", filter: { view: "all", email: "no" } },
  { name: "To be archived, their owners ask", filter: { view: "all", archive: "requested" } },
];
