import { csvDownload, type CsvColumn } from "~/http/csv.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { allPages, EXPORT_ROWS, fileName } from "~/modules/exports/all-pages.server";
import { LISTING_FIELD_NAMES, LISTING_FIELDS } from "~/modules/listings/fields";
import { getStatusLabel } from "~/modules/listings/rules";

import { viewOf, type ListingsFilter } from "./listings-filter";

type Value = string | number | boolean | null | (string | number)[];
type ExportedListing = Record<string, Value>;

const column = (header: string, name: string): CsvColumn<ExportedListing> => ({
  header,
  cell: (row) => {
    const value = row[name];
    return Array.isArray(value) ? value.join("; ") : value;
  },
});

const COLUMNS: CsvColumn<ExportedListing>[] = [
  column("Id", "id"),
  { header: "Status", cell: ({ status }) => getStatusLabel(String(status)) },
  ...LISTING_FIELD_NAMES.map((name) =>
    column(LISTING_FIELDS[name].label, name === "category" ? "category_name" : name),
  ),
  column("City", "city"),
  column("State or province", "state"),
  column("Country", "country"),
  column("ZIP / postal code", "postalcode"),
  column("Featured", "premium"),
  column("Featured since (UTC)", "premium_created_at"),
  column("Business owner", "owner_name"),
  column("Business owner (id)", "owner"),
  column("Owner e-mail", "owner_email"),
  column("Changes requested", "changes_requested"),
  column("Archive requested", "archive_requested"),
  column("Added (UTC)", "created_at"),
  column("Last change (UTC)", "modified_at"),
];

/**
 * The listings of a filter as a download, in its order.
 * @param entry of the audit log that lets owners' addresses be read; without it they are masked or left out
 */
export function listingsCsv(
  request: Request,
  db: Db,
  filter: ListingsFilter,
  entry: number | null,
) {
  const view = viewOf(filter);
  return csvDownload(
    request,
    fileName(view === "all" ? "listings" : `listings-${view}`),
    COLUMNS,
    allPages(async ({ after }) => {
      const asked = {
        filter,
        page_rows: EXPORT_ROWS,
        ...(after === undefined ? {} : { after }),
        ...(entry === null ? {} : { entry }),
      };
      const { rows, next } = unwrap(await db.rpc("export_listings", asked)) as unknown as {
        rows: ExportedListing[];
        next: string | null;
      };
      return { rows, before: null, after: next };
    }),
  );
}
