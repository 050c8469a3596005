import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { ADDRESS_COLUMNS, getColumnLabel } from "~/modules/listings/fields";
import { getStatusBadges, getStatusLabel, type StatusBadge } from "~/modules/listings/rules";

import {
  listingsTable,
  PAGE_SIZES,
  sizeInAddress,
  USUAL_SIZE,
  viewOf,
  type ListingsFilter,
} from "./listings-filter";

/** Which page of the table is asked for. */
export interface TablePlace {
  size: number;
  after: string | null;
  before: string | null;
}

/** A listing as its row needs it. */
export interface TableRow {
  id: number;
  version: number;
  name: string;
  /** Another of this page has the same name, so that it takes its number to tell them apart. */
  isNamesake?: true;
  category: string;
  place: string;
  /** Its status where the table holds several, and what else an admin should know. */
  badges: StatusBadge[];
  hasEmail: boolean;
  since: string;
  /** What its waiting edit touches, in words; empty when none waits. */
  edited: string;
}

export interface ListingsPage {
  rows: TableRow[];
  total: number;
  /** There are more than `total`. */
  more: boolean;
  /** The states that listings are in, to choose from. */
  states: string[];
  pages: { previous?: string; next?: string };
}

/** A row as the database gives it; more than this is in it. */
interface FoundRow {
  id: number;
  version: number;
  name: string;
  category_name: string;
  city: string | null;
  state: string | null;
  status: string;
  premium: boolean;
  hidden: boolean;
  archive_requested: boolean;
  owner_email: string | null;
  changes_requested: string | null;
  modified_at: string;
  premium_created_at: string | null;
  changes: { column: string }[];
  reviewer: { name: string | null; mine: boolean } | null;
}

interface FoundPage {
  rows: FoundRow[];
  total: number;
  more: boolean;
  states: string[];
  next: string | null;
  previous: string | null;
}

/** Reads the page from an address; a place that is none begins at the first page. */
export function tablePlace(params: URLSearchParams): TablePlace {
  const cursor = (name: string) => params.get(name)?.replaceAll("\u0000", "") || null;
  return {
    size: PAGE_SIZES.find((size) => String(size) === params.get("rows")) ?? USUAL_SIZE,
    after: cursor("after"),
    before: cursor("before"),
  };
}

/**
 * A page of the listings that a filter finds, with how many there are. One call; for admins.
 * @throws DataError
 */
export async function listingsPage(
  db: Db,
  filter: ListingsFilter,
  { size, after, before }: TablePlace,
): Promise<ListingsPage> {
  const place = { ...(after === null ? {} : { after }), ...(before === null ? {} : { before }) };
  const found = unwrap(
    await db.rpc("review_listings", { filter, ...place, page_rows: size }),
  ) as unknown as FoundPage;
  const names = new Map<string, number>();
  for (const { name } of found.rows) names.set(name, (names.get(name) ?? 0) + 1);
  const list = (at: { after?: string; before?: string }) =>
    listingsTable(filter, { rows: sizeInAddress(size), ...at });
  return {
    total: found.total,
    more: found.more,
    states: found.states,
    rows: found.rows.map((row) => ({
      id: row.id,
      version: row.version,
      name: row.name,
      ...(names.get(row.name) === 1 ? {} : { isNamesake: true as const }),
      category: row.category_name,
      place: [row.city, row.state].filter(Boolean).join(", "),
      badges: badgesOf(row, filter),
      hasEmail: row.owner_email !== null,
      since: (filter.view === "premium" && row.premium_created_at) || row.modified_at,
      edited: editedInWords(row.changes),
    })),
    pages: {
      ...(found.previous === null ? {} : { previous: list({ before: found.previous }) }),
      ...(found.next === null ? {} : { next: list({ after: found.next }) }),
    },
  };
}

/** Tables of one status need not say it in every row. */
function badgesOf(row: FoundRow, filter: ListingsFilter): StatusBadge[] {
  const view = viewOf(filter);
  const isMixed = (view === "all" && filter.status === undefined) || view === "premium";
  const waiting = (label: string): StatusBadge => ({ label, tone: "waiting" });
  return [
    ...(isMixed
      ? [
          {
            label: getStatusLabel(row.status),
            tone: getStatusBadges({ status: row.status, premium: false })[0]?.tone ?? "plain",
          },
        ]
      : []),
    ...(row.premium && view !== "premium" ? getStatusBadges({ status: null, premium: true }) : []),
    ...(row.changes_requested === null ? [] : [waiting("Changes requested")]),
    ...(row.archive_requested && row.status !== "archived" ? [waiting("Archive requested")] : []),
    ...(row.hidden ? [{ label: "Hidden", tone: "plain" } as const] : []),
    ...(row.reviewer && !row.reviewer.mine
      ? [
          {
            label: `${row.reviewer.name ?? "Another admin"} is reviewing it`,
            tone: "plain",
          } as const,
        ]
      : []),
  ];
}

function editedInWords(changes: { column: string }[]): string {
  const columns = changes.map(({ column }) => column);
  const shown = columns.includes("rawaddress")
    ? columns.filter((column) => !ADDRESS_COLUMNS.includes(column))
    : columns;
  return shown.map(getColumnLabel).join(", ");
}
