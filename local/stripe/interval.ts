import type { Stripe } from "stripe";

type Recurring = Pick<Stripe.Price.Recurring, "interval" | "interval_count">;

const DAY_S = 86_400;

/**
 * So many intervals after a moment, in seconds. Months keep the day of the month, or take the month's last
 * day where it has none such, so that the 31st comes back after February.
 */
export function after(
  moment: number,
  { interval, interval_count: count }: Recurring,
  times = 1,
): number {
  const steps = count * times;
  if (interval === "day") return moment + steps * DAY_S;
  if (interval === "week") return moment + steps * 7 * DAY_S;
  const date = new Date(moment * 1000);
  const months = date.getUTCMonth() + steps * (interval === "year" ? 12 : 1);
  const day = date.getUTCDate();
  date.setUTCMonth(months, 1);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime() / 1000;
}

/** The first end of a period, counted from the anchor, that lies after a moment. */
export function nextEnd(anchor: number, recurring: Recurring, moment: number): number {
  let times = 1;
  while (after(anchor, recurring, times) <= moment) times += 1;
  return after(anchor, recurring, times);
}
