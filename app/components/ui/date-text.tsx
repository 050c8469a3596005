import { formatDate, formatTimestamp, toDateTime } from "~/text/dates";

/** A day in UTC: "Nov 3, 2026". The column or the text around it says that it is UTC. */
export function DateText({ at }: { at: string }) {
  return <time dateTime={toDateTime(at)}>{formatDate(at)}</time>;
}

/** A day and a time with its zone: "Nov 3, 2026, 14:05 UTC". */
export function TimestampText({ at }: { at: string }) {
  return <time dateTime={toDateTime(at)}>{formatTimestamp(at)}</time>;
}
