import { z } from "zod";

import { csvDownload, type CsvColumn } from "~/http/csv.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { readAllPages, EXPORT_ROWS, exportFileName } from "~/modules/exports/export.server";
import { LISTING_FIELD_NAMES, LISTING_FIELDS } from "~/modules/listings/fields";
import { getStatusLabel } from "~/modules/listings/rules";

import { getQueue, type ListingsFilter } from "./filter";

const cellSchema = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.union([z.string(), z.number()])),
]);
type ExportedListing = Record<string, z.infer<typeof cellSchema>>;

/** The header of each column of the file, and the column of the database that it has. */
const COLUMNS: readonly (readonly [header: string, name: string])[] = [
  ["ID", "id"],
  ["Status", "status"],
  ...LISTING_FIELD_NAMES.map(
    (name) => [LISTING_FIELDS[name].label, name === "category" ? "category_name" : name] as const,
  ),
  ["Address on the map", "address"],
  ["City", "city"],
  ["State or province", "state"],
  ["Country", "country"],
  ["ZIP / postal code", "postalcode"],
  ["Featured", "premium"],
  ["Featured since (UTC)", "premium_created_at"],
  ["Business Owner", "owner_name"],
  ["Owner ID", "owner"],
  ["Owner email", "owner_email"],
  ["Changes requested", "changes_requested"],
  // Only its owner and the team can see such a listing, whatever its status is.
  ["Hidden", "hidden"],
  ["Removal requested", "archive_requested"],
  ["Added (UTC)", "created_at"],
  ["Last change (UTC)", "modified_at"],
];

const pageSchema = z.object({
  // Every column has to be there.
  rows: z.array(z.object(Object.fromEntries(COLUMNS.map(([, name]) => [name, cellSchema])))),
  next: z.string().nullable(),
});

const csvColumns = COLUMNS.map(([header, name]): CsvColumn<ExportedListing> => ({
  header,
  cell: (row) => {
    const value = row[name];
    if (name === "status") return getStatusLabel(String(value));
    return Array.isArray(value) ? value.join("; ") : value;
  },
}));

/**
 * The listings of a filter as a CSV download, in the order of the filter.
 * @param entry the audit log's entry of an export with contact details; without it they are masked
 *   or left out
 */
export function listingsCsv(
  request: Request,
  db: Db,
  filter: ListingsFilter,
  entry: number | null,
) {
  const queue = getQueue(filter);
  return csvDownload(
    request,
    exportFileName(queue === "all" ? "listings" : `listings-${queue}`),
    csvColumns,
    readAllPages(async ({ after = null }) => {
      const args = { filter, after, page_rows: EXPORT_ROWS, entry };
      const { rows, next } = await callFunction(db, "export_listings", args, pageSchema);
      return { rows, before: null, after: next };
    }),
  );
}
