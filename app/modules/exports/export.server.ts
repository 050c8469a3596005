import type { Page, PagePosition } from "~/http/pagination";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { calendarDay } from "~/text/dates";

/** How many rows an export reads at a time. Reading and checking them is one turn of the main thread. */
export const EXPORT_ROWS = 500;

/** Reads every row of a list, one page after another. */
export async function* readAllPages<Row, Cursor = string>(
  readPage: (position: PagePosition<Cursor>) => Promise<Page<Row, Cursor>>,
): AsyncGenerator<Row[]> {
  let position: PagePosition<Cursor> = {};
  for (;;) {
    const { rows, after } = await readPage(position);
    if (rows.length > 0) yield rows;
    if (after === null) return;
    position = { after };
  }
}

/** The name of an export's file, with the day in UTC: "users-2026-11-03". */
export const exportFileName = (subject: string, now = new Date()) =>
  `${subject}-${calendarDay(now)}`;

/**
 * Writes to the audit log that an admin exports a table with its contact details, under a filter.
 * @returns the id of the entry, which the database requires to return contact details
 */
export async function startExport(
  db: Db,
  table: "users" | "listings",
  filter: URLSearchParams,
): Promise<number> {
  return unwrap(await db.rpc("start_export", { what: table, about: Object.fromEntries(filter) }));
}
