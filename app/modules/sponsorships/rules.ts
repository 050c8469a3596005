/**
 * Newsletter sponsorships: what one costs, which newsletters are available, and the states of an order.
 * Money is in whole cents of a US dollar. The days of newsletters are YYYY-MM-DD, counted in UTC.
 */

import { calendarDay, DAY_MS, formatWeekday, isCalendarDay } from "~/text/dates";

export const MAX_PROMO_CHARACTERS = 300;
const SPOTS_PER_NEWSLETTER = 10;
/** The limits for the price of one newsletter. Sponsors choose it; the form only suggests a scale. */
export const MIN_RATE_CENTS = 100;
const MAX_RATE_CENTS = 10_000_000;
/** The maximum of one order: Stripe's limit for one payment in US dollars. */
export const MAX_ORDER_CENTS = 99_999_999;

/** Formats cents for a form and for the database: "45", "45.50". */
export function formatDecimal(cents: number): string {
  const decimals = cents % 100;
  return `${(cents - decimals) / 100}${decimals === 0 ? "" : `.${String(decimals).padStart(2, "0")}`}`;
}

/** The error for a rate that is not allowed; null for one that is. @param cents from parseDollars */
export function findRateError(cents: number | null): string | null {
  if (cents === null)
    return "Enter an amount in dollars with at most two decimals, like 45 or 45.50.";
  if (cents < MIN_RATE_CENTS) return "Enter at least $1.";
  return cents > MAX_RATE_CENTS ? "Enter at most $100,000." : null;
}

/** The total of an order in cents: the rate times the number of dates. Null while the rate is not valid. */
export function computeTotalCents(rateCents: number | null, dates: number): number | null {
  return findRateError(rateCents) === null ? rateCents! * dates : null;
}

/** The spots of a newsletter that are left when some are taken. */
export function countAvailableSpots(taken: number): number {
  return Math.max(0, SPOTS_PER_NEWSLETTER - taken);
}

/** A newsletter that can be sponsored. */
export interface NewsletterDate {
  /** YYYY-MM-DD, a Tuesday or a Thursday. */
  date: string;
  /** How many spots are left. */
  spots: number;
}

/** The same newsletters for an order that holds spots in some: its own spots are available to it. */
export function addHeldSpots(
  offered: readonly NewsletterDate[],
  held: readonly string[],
): NewsletterDate[] {
  return offered.map(({ date, spots }) => ({
    date,
    spots: held.includes(date) ? Math.min(spots + 1, SPOTS_PER_NEWSLETTER) : spots,
  }));
}

/**
 * Why a date is not available: full, blocked by the team (or not offered yet), past, no newsletter day,
 * or the same listing has a spot in another order.
 */
export type UnavailableReason = "full" | "blocked" | "past" | "no newsletter" | "duplicate";

export interface UnavailableDate {
  date: string;
  reason: UnavailableReason;
}

/** Whether a text is a Tuesday or a Thursday, when newsletters go out. False for what is not a date. */
export function isNewsletterDay(date: string): boolean {
  return isCalendarDay(date) && [2, 4].includes(new Date(date).getUTCDay());
}

const HOURS_UNTIL_A_DAY_IS_OVER_EVERYWHERE = 12;

/** The first day that isn't over everywhere on Earth yet: until noon UTC, when it is over in the last zone, yesterday. */
export const getFirstOpenDay = (now: Date): string =>
  calendarDay(new Date(now.getTime() - HOURS_UNTIL_A_DAY_IS_OVER_EVERYWHERE * 3_600_000));

/** The days of newsletters until a number of weeks from today, and before them one that may still go out. */
export function listNewsletterDays(now: Date, weeks: number): string[] {
  const end = Date.parse(calendarDay(now)) + weeks * 7 * DAY_MS;
  const days: string[] = [];
  for (let day = Date.parse(getFirstOpenDay(now)); day <= end; day += DAY_MS)
    days.push(calendarDay(new Date(day)));
  return days.filter(isNewsletterDay);
}

/** Formats a list of days: "Tue, Nov 24; Thu, Nov 26". */
export function formatDays(dates: readonly string[]): string {
  return dates.map(formatWeekday).join("; ");
}

/** The selected dates that are not available, with the reasons. Today's newsletter is past. */
export function findUnavailableDates(
  selected: readonly string[],
  offered: readonly NewsletterDate[],
  now: Date,
): UnavailableDate[] {
  const spots = new Map(offered.map((newsletter) => [newsletter.date, newsletter.spots]));
  return selected.flatMap((date) => {
    if (!isNewsletterDay(date)) return { date, reason: "no newsletter" as const };
    if (date <= calendarDay(now)) return { date, reason: "past" as const };
    const left = spots.get(date);
    if (left === undefined) return { date, reason: "blocked" as const };
    return left === 0 ? { date, reason: "full" as const } : [];
  });
}

/**
 * The newsletters of a paid order that can still be canceled: those at least some days ahead, which the team decides
 * on. A day counts until it is over everywhere on Earth, which is at noon UTC of the next one. The newsletter of today has
 * been sent.
 */
export function listCancelableDates(
  dates: readonly string[],
  deadlineDays: number,
  now: Date,
): string[] {
  const first = calendarDay(new Date(Date.parse(getFirstOpenDay(now)) + deadlineDays * DAY_MS));
  return dates.filter((date) => date >= first && date > calendarDay(now));
}

const DAYS_FOR_PREPARATION = 2;

/**
 * The newsletters of an order, today's and those of the next two days, that the team may have copied its feature into:
 * they write a newsletter by hand, at an hour that the product doesn't know. In the evening of an American, it is the
 * next day in UTC, so today's counts until its day is over everywhere on Earth.
 */
export function listDatesInPreparation(dates: readonly string[], now: Date): string[] {
  const last = calendarDay(new Date(now.getTime() + DAYS_FOR_PREPARATION * DAY_MS));
  return dates.filter((date) => date >= getFirstOpenDay(now) && date <= last);
}

/** Whether a newsletter of an order is still to come, so that its feature can be edited. */
export function hasUpcomingDate(dates: readonly string[], now: Date): boolean {
  return dates.some((date) => date > calendarDay(now));
}

/** What the state of an order follows from. */
interface SponsorshipFacts {
  paid: boolean;
  dates: readonly string[];
  /** The state of its payment (`OrderState` in billing); null when no one tried to pay. */
  payment: string | null;
}

/**
 * "confirming": its payment is on its way. "canceled": it was paid for, and has no dates since all were canceled.
 * "undated": it has no dates yet, so there is nothing to pay.
 */
type SponsorshipState = "paid" | "confirming" | "unpaid" | "canceled" | "undated";

/** The states of a payment that arrived. */
const PAID_ONCE = new Set(["paid", "refunding", "refunded", "disputed"]);

export function getSponsorshipState({ paid, dates, payment }: SponsorshipFacts): SponsorshipState {
  if (paid) return "paid";
  if (payment === "confirming") return "confirming";
  if (dates.length > 0) return "unpaid";
  return payment !== null && PAID_ONCE.has(payment) ? "canceled" : "undated";
}

/**
 * Until when the spots of an order are held: when the first of them expires, the hold of all ends.
 * Null when they are not held.
 */
export function getHoldEnd(
  spots: readonly { held_until: string | null }[],
  now: Date,
): string | null {
  const ends = spots.map(({ held_until }) => held_until).filter((end) => end !== null);
  if (ends.length === 0) return null;
  const first = ends.reduce((a, b) => (Date.parse(a) <= Date.parse(b) ? a : b));
  return Date.parse(first) > now.getTime() ? first : null;
}
