/** A page of a long list as the database gives it: the rows, and where the pages beside it are. */
export interface KeysetPage<Row> {
  rows: Row[];
  /** Places in the list, for the page before this one and the one after; null when there is none. */
  before: string | null;
  after: string | null;
}

/** Which page is asked for: the one that begins after a place, or ends before it; the first without either. */
export interface KeysetPlace {
  after?: string;
  before?: string;
}

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00`;
const UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const NUMBER = String.raw`[1-9]\d{0,17}`;

/** By what a list is ordered, and so what a place in it looks like. */
const PLACES = {
  "time and person": new RegExp(`^${TIME}_${UUID}$`),
  "time and number": new RegExp(`^${TIME}_${NUMBER}$`),
} as const;

/** A day as an address says it ("2026-11-03"); null when the calendar has no such day. */
export function dayIn(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : null;
}

/** Reads the page from an address; what is no place in such a list is as if it were not there. */
export function keysetPlace(params: URLSearchParams, order: keyof typeof PLACES): KeysetPlace {
  const place = (name: string) => {
    const value = params.get(name) ?? "";
    const time = value.split("_")[0]!;
    return PLACES[order].test(value) && dayIn(time.slice(0, 10)) && !Number.isNaN(Date.parse(time))
      ? value
      : null;
  };
  const [after, before] = [place("after"), place("before")];
  if (after) return { after };
  return before ? { before } : {};
}

/**
 * The addresses of the pages beside this one, for Pagination.
 * @param list the list's address at a place in it, under the filter that holds
 */
export function pagesBeside(
  list: (place: KeysetPlace) => string,
  { before, after }: Pick<KeysetPage<unknown>, "before" | "after">,
) {
  return {
    ...(before === null ? {} : { previous: list({ before }) }),
    ...(after === null ? {} : { next: list({ after }) }),
  };
}
