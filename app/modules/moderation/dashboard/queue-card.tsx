import { Link } from "@remix-run/react";

import { formatNumber } from "~/text/counts";
import { DAY_MS } from "~/text/dates";

import { formatWait } from "./rules";
import { drawWeekBars, WEEK_BARS } from "./week-bars";

interface QueueCardProps {
  title: string;
  to: string;
  count: number;
  /** When the oldest item came in, an ISO time; null when the queue is empty. */
  oldest: string | null;
  /** By week, oldest first, the last seven days last. */
  came: readonly number[];
  left: readonly number[];
  /** In milliseconds. */
  now: number;
}

/** A wait from which on it is marked, in days. */
const LONG_DAYS = 14;

/** A review queue: how much waits in it, since when, and whether the team keeps up. */
export function QueueCard({ title, to, count, oldest, came, left, now }: QueueCardProps) {
  const bars = drawWeekBars(came, left);
  const isLong = oldest !== null && now - Date.parse(oldest) >= LONG_DAYS * DAY_MS;
  const number = formatNumber(count);
  return (
    <li className="queue-card">
      <h3>
        <Link to={to} discover="none" aria-label={`${title}: ${number}`}>
          {title}
        </Link>
      </h3>{" "}
      <p className="count">{number}</p>{" "}
      <svg viewBox={`0 0 ${WEEK_BARS.width} ${WEEK_BARS.height}`} aria-hidden="true">
        <path d={bars.came} />
        <path d={bars.left} className="left" />
      </svg>
      <p>
        {oldest === null ? (
          "Nothing waits"
        ) : (
          <>
            Oldest <b className={isLong ? "is-long" : undefined}>{formatWait(oldest, now)}</b>
          </>
        )}
      </p>{" "}
      <p>
        {formatNumber(came.at(-1) ?? 0)} in, {formatNumber(left.at(-1) ?? 0)} out this week
      </p>
    </li>
  );
}
