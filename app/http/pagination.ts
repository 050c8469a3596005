import { isCalendarDay } from "~/text/dates";
import { parseRowId, ROW_ID_PATTERN } from "~/text/row-id";
import { UUID_PATTERN } from "~/text/uuid";

/**
 * Pages of a list, by cursor: a page begins after a row of the list or ends before one, so that any
 * depth is read as fast as the first page. The cursors are in the URL as `after` and `before`.
 */

/** One page of a list. */
export interface Page<Row, Cursor = string> {
  rows: Row[];
  /** Cursors of the page before this one and the page after it; null when there is none. */
  before: Cursor | null;
  after: Cursor | null;
}

/**
 * Which page is requested: the one after a cursor, or before one. The first page without either.
 */
export interface PagePosition<Cursor = string> {
  after?: Cursor;
  before?: Cursor;
}

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00`;

/** The cursors of lists that are ordered by time: the time of a row and, for a tie, its id. */
const TIME_CURSORS = {
  "time and uuid": new RegExp(`^${TIME}_${UUID_PATTERN}$`),
  "time and id": new RegExp(`^${TIME}_${ROW_ID_PATTERN}$`),
} as const;

function parseTimeCursor(text: string | null, pattern: RegExp): string | null {
  if (text === null || !pattern.test(text)) return null;
  const [time = ""] = text.split("_");
  return isCalendarDay(time.slice(0, 10)) && !Number.isNaN(Date.parse(time)) ? text : null;
}

function readPosition<Cursor>(
  params: URLSearchParams,
  parse: (text: string | null) => Cursor | null,
): PagePosition<Cursor> {
  const after = parse(params.get("after"));
  if (after !== null) return { after };
  const before = parse(params.get("before"));
  return before === null ? {} : { before };
}

/** Reads the position in a list ordered by time from a URL. A malformed cursor is ignored. */
export function readTimePosition(
  params: URLSearchParams,
  order: keyof typeof TIME_CURSORS,
): PagePosition {
  return readPosition(params, (text) => parseTimeCursor(text, TIME_CURSORS[order]));
}

/** Reads the position in a list whose cursors are row ids from a URL. A malformed id is ignored. */
export function readRowPosition(params: URLSearchParams): PagePosition<number> {
  return readPosition(params, parseRowId);
}

/**
 * The URLs of the pages before and after this one, as Pagination takes them.
 * @param hrefAt the list's URL at a position in it, with the current filter
 */
export function pageLinks<Cursor>(
  hrefAt: (position: PagePosition<Cursor>) => string,
  { before, after }: Pick<Page<unknown, Cursor>, "before" | "after">,
): { previous?: string; next?: string } {
  return {
    ...(before === null ? {} : { previous: hrefAt({ before }) }),
    ...(after === null ? {} : { next: hrefAt({ after }) }),
  };
}
