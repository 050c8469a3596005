import { Link } from "react-router-dom";

import { formatNumber } from "~/text/counts";

import { countDaysSince, formatDays, LONG_WAIT_DAYS } from "../rules";
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

/** A review queue: how much is waiting in it, since when, and whether the team keeps up. */
export function QueueCard({ title, to, count, oldest, came, left, now }: QueueCardProps) {
  const bars = drawWeekBars(came, left);
  const days = oldest === null ? null : countDaysSince(oldest, now);
  const number = formatNumber(count);
  return (
    <li className="queue-card">
      <h3>
        <Link to={to} aria-label={`${title}: ${number}`}>
          {title}
        </Link>
      </h3>{" "}
      <p className="count">{number}</p>{" "}
      <svg viewBox={`0 0 ${WEEK_BARS.width} ${WEEK_BARS.height}`} aria-hidden="true">
        <path d={bars.came} />
        <path d={bars.left} className="left" />
      </svg>
      <p>
        {days === null ? (
          "Nothing waiting"
        ) : (
          <>
            Oldest{" "}
            <b className={days >= LONG_WAIT_DAYS ? "is-long" : undefined}>{formatDays(days)}</b>
          </>
        )}
      </p>{" "}
      <p>
        {formatNumber(came.at(-1) ?? 0)} in, {formatNumber(left.at(-1) ?? 0)} out this week
      </p>
    </li>
  );
}
