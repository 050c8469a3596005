import { useHydrated } from "~/components/forms/use-hydrated";
import { formatDate, formatLocalTimestamp, formatTimestamp, toDateTime } from "~/text/dates";

/** A day in UTC: "Nov 3, 2026". The column or the text around it says that it is UTC. */
export function DateText({ at }: { at: string }) {
  return <time dateTime={toDateTime(at)}>{formatDate(at)}</time>;
}

/** A day and a time in UTC, as records are searched and exported: "Nov 3, 2026, 2:05 PM". The column says that it is UTC. */
export function RecordTimeText({ at }: { at: string }) {
  return <time dateTime={toDateTime(at)}>{formatTimestamp(at).replace(" UTC", "")}</time>;
}

interface TimestampTextProps {
  at: string;
  /** Leaves out the zone, where the page names it elsewhere, or the day, where it is today. */
  without?: "zone" | "day";
}

/**
 * A day and a time with its zone: "Nov 3, 2026, 2:05 PM UTC". Where script runs, it is in the reader's own zone: only
 * the browser knows that.
 */
export function TimestampText({ at, without }: TimestampTextProps) {
  const text = (useHydrated() ? formatLocalTimestamp : formatTimestamp)(at);
  const end = text.lastIndexOf(without === "day" ? ", " : " ");
  const shown =
    without === "zone" ? text.slice(0, end) : without === "day" ? text.slice(end + 2) : text;
  // A line ends before the hour, and not within "Nov 3, 2026" or "2:05 PM UTC".
  return <time dateTime={toDateTime(at)}>{shown.replace(/ (?=\d+,|[AP]M|\S+$)/g, "\u00a0")}</time>;
}
