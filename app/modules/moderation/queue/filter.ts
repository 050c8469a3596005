/**
 * The filter of a queue, as a URL and the database function `review_filter` have it: an object of
 * strings with the same keys and values. The values are not validated here. A value that the database
 * does not know finds nothing, so that a typing error never selects more listings than intended.
 */
import { paths } from "~/http/paths";
import { formatCount } from "~/text/counts";
import { parseSearchText } from "~/text/search-text";

/** The queues: the five tables of listings, each with the listings that it starts from. */
export const QUEUES = ["all", "pending", "flagged", "new", "premium"] as const;
export type Queue = (typeof QUEUES)[number];

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
 * By key: `view` (a queue), `search` (words of the name), `status`, `category` (id), `state`,
 * `premium`, `email`, `complete` and `asked` ("yes", "no"), `age` (minimum number of days in the
 * queue), `edit` (the kind of fields that the edit changes), `archive` ("requested"), `sort`.
 */
export type ListingsFilter = Partial<Record<(typeof FILTER_KEYS)[number], string>>;

/** How many rows a page of a queue may have, and how many it has unless the URL says it. */
export const PAGE_SIZES = [25, 50, 100, 250] as const;
export const DEFAULT_PAGE_SIZE = 25;

/** The page size as a URL has it: the default is left out. */
export const pageSizeParam = (size: number) => (size === DEFAULT_PAGE_SIZE ? undefined : size);

/**
 * Reads the filter from a URL.
 * @param queue the queue that the URL belongs to; without one, the filter's `view` names it
 */
export function parseFilter(params: URLSearchParams, queue?: Queue): ListingsFilter {
  const entries = FILTER_KEYS.flatMap((key) => {
    const value = parseSearchText(params.get(key));
    return value === "" ? [] : [[key, value] as const];
  });
  const filter: ListingsFilter = Object.fromEntries(entries);
  if (queue === undefined) return filter;
  const { view: _, ...rest } = filter;
  // "all" is the default.
  return queue === "all" ? rest : { view: queue, ...rest };
}

const QUEUE_PATHS: Record<
  Queue,
  (query: Readonly<Record<string, string | number | undefined>>) => string
> = {
  all: paths.adminListings,
  pending: paths.adminPending,
  flagged: paths.adminFlagged,
  new: paths.adminNew,
  premium: paths.adminPremium,
};

/** The queue of a filter; all listings when its `view` is not the name of a queue. */
export function getQueue({ view }: ListingsFilter): Queue {
  return QUEUES.find((queue) => queue === view) ?? "all";
}

/**
 * The URL of the filter's queue with the filter.
 * @param page the position and size of a page of it
 */
export function queuePath(
  filter: ListingsFilter,
  page: Record<string, string | number | undefined> = {},
): string {
  const { view: _, ...query } = filter;
  return QUEUE_PATHS[getQueue(filter)]({ ...query, ...page });
}

/**
 * Listings as a URL selects them, in the version that an admin has read: "12.3-15.1". A listing
 * that has changed since is not selected, even after Back and a reload.
 */
export const toTicked = (
  listings: readonly { id?: number | undefined; version?: number | undefined }[],
): string =>
  listings
    .flatMap(({ id, version }) => (id === undefined ? [] : `${id}.${version ?? ""}`))
    .join("-");

/** Whether a filter leaves out listings of its queue. The order does not. */
export function isNarrowed({ view: _, sort: __, ...rest }: ListingsFilter): boolean {
  return Object.keys(rest).length > 0;
}

/** How many listings a filter finds. The database counts up to a limit: "more than 1,000 listings". */
export function formatTotal(total: number, more: boolean): string {
  return `${more ? "more than " : ""}${formatCount(total, "listing")}`;
}

/** A filter with a name. */
export interface NamedFilter {
  name: string;
  filter: ListingsFilter;
}

/** The maximum number of characters of a view's name. The database has the same limit. */
export const MAX_VIEW_NAME_LENGTH = 60;

const NO_OWNER_EMAIL = { name: "No owner email", filter: { email: "no" } };
const READY = { name: "Ready to approve", filter: { complete: "yes" } };
const FEATURED = { name: "Featured", filter: { premium: "yes" } };
const CHANGES_REQUESTED = { name: "Changes requested", filter: { asked: "yes" } };
const REMOVAL_REQUESTS = { name: "Removal requests", filter: { archive: "requested" } };

/** The views of a queue that every admin has, without the queue itself. */
const VIEWS_OF_QUEUES: Record<Queue, readonly NamedFilter[]> = {
  new: [READY, NO_OWNER_EMAIL, CHANGES_REQUESTED, FEATURED],
  pending: [
    { name: "Contact only", filter: { edit: "contact" } },
    { name: "Phone only", filter: { edit: "phone" } },
    { name: "Name changed", filter: { edit: "name" } },
    NO_OWNER_EMAIL,
    FEATURED,
    REMOVAL_REQUESTS,
  ],
  flagged: [READY, NO_OWNER_EMAIL, CHANGES_REQUESTED, REMOVAL_REQUESTS],
  all: [
    { name: "Published", filter: { status: "published" } },
    { name: "Archived", filter: { status: "archived" } },
    FEATURED,
    NO_OWNER_EMAIL,
    REMOVAL_REQUESTS,
  ],
  premium: [
    { name: "Published", filter: { status: "published" } },
    { name: "Pending updates", filter: { status: "pending-update" } },
    NO_OWNER_EMAIL,
  ],
};

/** The views of a queue that every admin has: all of it first. */
export const listBuiltInViews = (queue: Queue): readonly NamedFilter[] => {
  const start = queue === "all" ? {} : { view: queue };
  return [
    { name: "All", filter: start },
    ...VIEWS_OF_QUEUES[queue].map(({ name, filter }) => ({
      name,
      filter: { ...start, ...filter },
    })),
  ];
};
