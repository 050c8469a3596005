import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { getCategoryOptions } from "~/modules/listings/listing.server";
import {
  formatPlace,
  getStatusBadge,
  getStatusBadges,
  getStatusLabel,
  type StatusBadge,
} from "~/modules/listings/rules";
import { formatCount, formatNumber } from "~/text/counts";
import { formatDate } from "~/text/dates";
import { isolate } from "~/text/isolate";
import { withoutJoiners } from "~/text/one-line";

import {
  DEFAULT_PAGE_SIZE,
  formatTotal,
  getQueue,
  PAGE_SIZES,
  pageSizeParam,
  queuePath,
  type ListingsFilter,
} from "./filter";
import { canBeApproved } from "../decisions/rules";
import { countDaysSince } from "../rules";
import { summarizeChanges, type RowChange } from "./row-changes.server";

/** What an edit changed in one column, as the database function `edit_changes` returns it. */
export const columnChangeSchema = z.object({
  column: z.string(),
  before: z.unknown(),
  after: z.unknown(),
});

/** A listing as the database function `review_rows` returns it. */
export const reviewRowSchema = z.object({
  id: z.number(),
  version: z.number(),
  name: z.string(),
  category_name: z.string(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  status: z.string(),
  premium: z.boolean(),
  premium_created_at: z.string().nullable(),
  hidden: z.boolean(),
  archive_requested: z.boolean(),
  /** Masked. */
  owner_email: z.string().nullable(),
  created_at: z.string(),
  modified_at: z.string(),
  /**
   * Since when it waits, when it was changed after that. (Absent from a database of the previous
   * release.)
   */
  waiting_since: z.string().nullable().default(null),
  changes_requested: z.string().nullable(),
  /** What the edit changed, when one waits for review. */
  changes: z.array(columnChangeSchema),
  /** Who has the review lock. */
  reviewer: z
    .object({
      name: z.string().nullable(),
      mine: z.boolean(),
      since: z.string(),
      until: z.string(),
    })
    .nullable(),
  open_reports: z.number(),
});
type ReviewRow = z.infer<typeof reviewRowSchema>;

const pageSchema = z.object({
  rows: z.array(reviewRowSchema),
  total: z.number(),
  more: z.boolean(),
  states: z.array(z.string()),
  next: z.string().nullable(),
  previous: z.string().nullable(),
  counts: z.array(z.object({ total: z.number(), more: z.boolean() })),
});

/** Which page of a queue is requested: its size, and the cursor it begins after or ends before. */
interface PageRequest {
  size: number;
  after: string | null;
  before: string | null;
}

/** A row of a queue's table. What a row does not have is left out: a page has up to 250 of them. */
export interface ListingRow {
  id: number;
  version: number;
  name: string;
  /** Set when another listing of the page has the same name: then the id is shown, too. */
  isNamesake?: true;
  place?: string;
  /** The status where the queue has several, and what else an admin should know. */
  badges?: StatusBadge[];
  /** What the edit changes. Without an edit, the category. */
  changes?: RowChange[];
  more?: number;
  category?: string;
  /** What is missing before it can be approved. */
  missing?: "email" | "address";
  hasNoEmail?: true;
  /** Whether it can be approved in the table. */
  canApprove?: true;
  /**
   * The day since when it waits, is Featured, or is as it is, by which the table is sorted; and how many days
   * these are.
   */
  since: string;
  days: number;
}

export interface ListingsPage {
  rows: ListingRow[];
  total: number;
  /** The total with its noun. */
  totalLabel: string;
  /** The states that published listings are in and the one that is filtered by, and the categories, for the filter. */
  states: string[];
  categories: { id: number; name: string }[];
  /** How many listings each of the other filters finds: "1,000+" beyond what is counted. */
  counts: string[];
  pages: { previous?: string; next?: string };
}

/** Reads the requested page from a URL. A cursor that does not exist means the first page. */
export function parsePageRequest(params: URLSearchParams): PageRequest {
  const cursor = (name: string) => params.get(name)?.replaceAll("\u0000", "") || null;
  return {
    size: PAGE_SIZES.find((size) => String(size) === params.get("rows")) ?? DEFAULT_PAGE_SIZE,
    after: cursor("after"),
    before: cursor("before"),
  };
}

/**
 * A page of the listings that a filter finds, with their total. For admins.
 * @param also other filters, whose listings are counted
 * @throws DataError
 */
export async function listListings(
  db: Db,
  filter: ListingsFilter,
  { size, after, before }: PageRequest,
  also: readonly ListingsFilter[] = [],
): Promise<ListingsPage> {
  const args = { filter, after, before, page_rows: size, also: [...also] };
  const [found, options] = await Promise.all([
    callFunction(db, "review_listings", args, pageSchema),
    getCategoryOptions(db),
  ]);
  const nameCounts = new Map<string, number>();
  for (const row of found.rows) {
    const name = withoutJoiners(row.name);
    nameCounts.set(name, (nameCounts.get(name) ?? 0) + 1);
  }
  const pathAt = (cursor: { after?: string; before?: string }) =>
    queuePath(filter, { rows: pageSizeParam(size), ...cursor });
  const now = Date.now();
  return {
    total: found.total,
    totalLabel: formatTotal(found.total, found.more),
    states: [...new Set([...found.states, ...(filter.state ? [filter.state] : [])])].sort(),
    categories: options.categories,
    counts: found.counts.map(({ total, more }) => `${formatNumber(total)}${more ? "+" : ""}`),
    rows: found.rows.map((row): ListingRow => {
      const { changes, more, isWhole } = summarizeChanges(row.changes, options);
      const place = formatPlace(row);
      const badges = getBadges(row, filter);
      if (!isWhole && isJustChanged(row, now)) badges.push(JUST_CHANGED);
      const since =
        (filter.view === "premium" && row.premium_created_at) ||
        row.waiting_since ||
        row.modified_at;
      return {
        id: row.id,
        version: row.version,
        name: row.name,
        ...(nameCounts.get(withoutJoiners(row.name)) === 1 ? {} : { isNamesake: true }),
        ...(place === "" ? {} : { place }),
        ...(badges.length === 0 ? {} : { badges }),
        ...(changes.length === 0 ? { category: row.category_name } : { changes }),
        ...(more === 0 ? {} : { more }),
        ...getApproval(row),
        since: formatDate(since),
        days: countDaysSince(since, now),
      };
    }),
    pages: {
      ...(found.previous === null ? {} : { previous: pathAt({ before: found.previous }) }),
      ...(found.next === null ? {} : { next: pathAt({ after: found.next }) }),
    },
  };
}

/** Whether a listing can be approved in the table, or what is missing. */
function getApproval({
  status,
  owner_email,
  state,
  archive_requested,
}: ReviewRow): Pick<ListingRow, "canApprove" | "missing" | "hasNoEmail"> {
  const email = owner_email === null ? ({ hasNoEmail: true } as const) : {};
  if (!canBeApproved(status, archive_requested)) return email;
  if (owner_email === null) return { ...email, missing: "email" };
  return state ? { canApprove: true } : { missing: "address" };
}

const HOUR_MS = 60 * 60 * 1_000;
const JUST_CHANGED: StatusBadge = { label: "Changed in the past hour", tone: "waiting" };

/**
 * Whether an admin may have read another version than the one that would be approved now. A row
 * that doesn't show all of the listing's content says so: its tick and its "Approve" are for the version
 * that the page has, and each decision in a row loads the page again.
 */
const isJustChanged = (row: ReviewRow, now: number) =>
  canBeApproved(row.status, row.archive_requested) &&
  row.changes_requested === null &&
  row.version > 1 &&
  now - Date.parse(row.modified_at) < HOUR_MS;

/** A queue whose listings all have the same status does not repeat it in every row. */
function getBadges(row: ReviewRow, filter: ListingsFilter): StatusBadge[] {
  const queue = getQueue(filter);
  const isMixed = (queue === "all" && filter.status === undefined) || queue === "premium";
  const waiting = (label: string): StatusBadge => ({ label, tone: "waiting" });
  const plain = (label: string): StatusBadge => ({ label, tone: "plain" });
  return [
    ...(isMixed
      ? [{ label: getStatusLabel(row.status), tone: getStatusBadge(row.status).tone }]
      : []),
    ...(row.premium && queue !== "premium" ? getStatusBadges({ status: null, premium: true }) : []),
    ...(row.open_reports > 0
      ? [{ label: formatCount(row.open_reports, "open report"), tone: "wrong" } as const]
      : []),
    ...(hasNewDomain(row) ? [waiting("New domain")] : []),
    ...(row.changes_requested === null ? [] : [waiting("Changes requested")]),
    ...(row.archive_requested && row.status !== "archived" ? [waiting("Removal requested")] : []),
    ...(row.hidden ? [plain("Hidden")] : []),
    ...(row.reviewer && !row.reviewer.mine
      ? [plain(`${isolate(row.reviewer.name ?? "Another admin")} is reviewing it`)]
      : []),
  ];
}

/**
 * Whether an edit moves the website to another domain, because it may be another business by now.
 */
function hasNewDomain({ changes }: ReviewRow): boolean {
  const url = changes.find(({ column }) => column === "url");
  const [before, after] = [parseHost(url?.before), parseHost(url?.after)];
  return before !== null && after !== null && before !== after;
}

const parseHost = (value: unknown) =>
  typeof value === "string" && URL.canParse(value)
    ? new URL(value).hostname.replace(/^www\./, "")
    : null;
