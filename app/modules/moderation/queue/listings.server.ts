import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { ADDRESS_COLUMNS, getColumnLabel } from "~/modules/listings/fields";
import { getStatusBadges, getStatusLabel, type StatusBadge } from "~/modules/listings/rules";

import {
  DEFAULT_PAGE_SIZE,
  formatTotal,
  getQueue,
  PAGE_SIZES,
  pageSizeParam,
  queuePath,
  type ListingsFilter,
} from "./filter";

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
  changes_requested: z.string().nullable(),
  /** What the edit changed, when one waits for review. */
  changes: z.array(z.object({ column: z.string(), before: z.unknown(), after: z.unknown() })),
  /** Who has the review lock. */
  reviewer: z
    .object({
      name: z.string().nullable(),
      mine: z.boolean(),
      since: z.string(),
      until: z.string(),
    })
    .nullable(),
});
type ReviewRow = z.infer<typeof reviewRowSchema>;

const pageSchema = z.object({
  rows: z.array(reviewRowSchema),
  total: z.number(),
  more: z.boolean(),
  states: z.array(z.string()),
  next: z.string().nullable(),
  previous: z.string().nullable(),
});

/** Which page of a queue is requested: its size, and the cursor it begins after or ends before. */
interface PageRequest {
  size: number;
  after: string | null;
  before: string | null;
}

/** A row of a queue's table. */
export interface ListingRow {
  id: number;
  version: number;
  name: string;
  /** Set when another listing of the page has the same name: then the id is shown, too. */
  isNamesake?: true;
  category: string;
  place: string;
  /** The status where the queue has several, and what else an admin should know. */
  badges: StatusBadge[];
  hasEmail: boolean;
  since: string;
  /** The labels of the fields that the edit changed; empty when no edit waits. */
  edited: string;
}

export interface ListingsPage {
  rows: ListingRow[];
  total: number;
  /** The total with its noun. */
  totalLabel: string;
  /** The states that listings are in, for the filter. */
  states: string[];
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
 * @throws DataError
 */
export async function listListings(
  db: Db,
  filter: ListingsFilter,
  { size, after, before }: PageRequest,
): Promise<ListingsPage> {
  const args = { filter, after, before, page_rows: size };
  const found = await callFunction(db, "review_listings", args, pageSchema);
  const nameCounts = new Map<string, number>();
  for (const { name } of found.rows) nameCounts.set(name, (nameCounts.get(name) ?? 0) + 1);
  const pathAt = (cursor: { after?: string; before?: string }) =>
    queuePath(filter, { rows: pageSizeParam(size), ...cursor });
  return {
    total: found.total,
    totalLabel: formatTotal(found.total, found.more),
    states: found.states,
    rows: found.rows.map((row) => ({
      id: row.id,
      version: row.version,
      name: row.name,
      ...(nameCounts.get(row.name) === 1 ? {} : { isNamesake: true as const }),
      category: row.category_name,
      place: [row.city, row.state].filter(Boolean).join(", "),
      badges: getBadges(row, filter),
      hasEmail: row.owner_email !== null,
      since: (filter.view === "premium" && row.premium_created_at) || row.modified_at,
      edited: labelChanges(row.changes),
    })),
    pages: {
      ...(found.previous === null ? {} : { previous: pathAt({ before: found.previous }) }),
      ...(found.next === null ? {} : { next: pathAt({ after: found.next }) }),
    },
  };
}

/** A queue whose listings all have the same status does not repeat it in every row. */
function getBadges(row: ReviewRow, filter: ListingsFilter): StatusBadge[] {
  const queue = getQueue(filter);
  const isMixed = (queue === "all" && filter.status === undefined) || queue === "premium";
  const waiting = (label: string): StatusBadge => ({ label, tone: "waiting" });
  const plain = (label: string): StatusBadge => ({ label, tone: "plain" });
  const [status] = getStatusBadges({ status: row.status, premium: false });
  return [
    ...(isMixed ? [{ label: getStatusLabel(row.status), tone: status?.tone ?? "plain" }] : []),
    ...(row.premium && queue !== "premium" ? getStatusBadges({ status: null, premium: true }) : []),
    ...(row.changes_requested === null ? [] : [waiting("Changes requested")]),
    ...(row.archive_requested && row.status !== "archived" ? [waiting("Archive requested")] : []),
    ...(row.hidden ? [plain("Hidden")] : []),
    ...(row.reviewer && !row.reviewer.mine
      ? [plain(`${row.reviewer.name ?? "Another admin"} is reviewing it`)]
      : []),
  ];
}

/** The labels of the fields that an edit changed; "Address" stands for all columns of an address. */
function labelChanges(changes: { column: string }[]): string {
  const columns = changes.map(({ column }) => column);
  const shown = columns.includes("rawaddress")
    ? columns.filter((column) => !ADDRESS_COLUMNS.includes(column))
    : columns;
  return shown.map(getColumnLabel).join(", ");
}
