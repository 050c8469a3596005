import type { Page, PagePosition } from "~/http/pagination";

/** As many rows as a download reads at a time. */
export const EXPORT_ROWS = 1_000;

/** Every row of a list, page after page, for reading them in turn. */
export async function* allPages<Row, Cursor = string>(
  read: (place: PagePosition<Cursor>) => Promise<Page<Row, Cursor>>,
): AsyncGenerator<Row[]> {
  let place: PagePosition<Cursor> = {};
  for (;;) {
    const { rows, after } = await read(place);
    if (rows.length > 0) yield rows;
    if (after === null) return;
    place = { after };
  }
}

/** The name of a download's file, with the day it was made in UTC: "users-2026-11-03". */
export const fileName = (what: string, now = new Date()) =>
  `${what}-${now.toISOString().slice(0, 10)}`;
