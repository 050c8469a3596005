/**
 * Newsletter sponsorships: what one costs, which newsletters can be had, and what can be done with an
 * order. Money is in whole cents of a US dollar; the days of newsletters are YYYY-MM-DD, counted in UTC.
 */

/** The most characters of a promo text. */
export const PROMO_LIMIT = 300;
/** How many organizations one newsletter highlights. */
export const SPOTS_A_DATE = 10;
/** What one newsletter may cost. The price is the person's to name; the scale beside the field only suggests one. */
export const RATE_FROM_CENTS = 100;
export const RATE_TO_CENTS = 10_000_000;
/** The most that can be charged at once (Stripe's limit for US dollars). */
export const ORDER_TO_CENTS = 99_999_999;

/**
 * The whole cents of an amount of dollars as people type it ("45", "$45.50", "1,000"); null when it is no
 * such amount: a sign, a third decimal, an exponent. Read from the text, since 45.1 has no exact number.
 */
export function centsOf(typed: string): number | null {
  const [, whole = "", decimals = ""] =
    /^\$? ?(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.(\d{1,2}))?$/.exec(typed.trim()) ?? [];
  if (whole === "") return null;
  return Number(whole.replaceAll(",", "")) * 100 + Number(decimals.padEnd(2, "0"));
}

/** An amount of cents as a form holds it, and the database: "45", "45.50". */
export function decimalOf(cents: number): string {
  const decimals = cents % 100;
  return `${(cents - decimals) / 100}${decimals === 0 ? "" : `.${String(decimals).padStart(2, "0")}`}`;
}

/** The sentence for a rate that can't be taken; null for one that can. @param cents as centsOf gives them */
export function rateProblem(cents: number | null): string | null {
  if (cents === null)
    return "Enter an amount in dollars with at most two decimals, like 45 or 45.50.";
  if (cents < RATE_FROM_CENTS) return "Enter at least $1.";
  return cents > RATE_TO_CENTS ? "Enter at most $100,000." : null;
}

/** What an order comes to, in cents: the rate times the number of dates. Null while the rate is none. */
export function totalCents(rateCents: number | null, dates: number): number | null {
  return rateProblem(rateCents) === null ? rateCents! * dates : null;
}

/** "Spots Available" of a date that so many have taken: ten in all, and never less than none. */
export function spotsAvailable(count: number): number {
  return Math.max(0, SPOTS_A_DATE - count);
}

/** A newsletter as it can be chosen. */
export interface NewsletterDate {
  /** YYYY-MM-DD, a Tuesday or a Thursday. */
  date: string;
  spots: number;
}

/** The same newsletters for an order that holds spots of some: those are not taken from it. */
export function withHeld(
  offered: readonly NewsletterDate[],
  holding: readonly string[],
): NewsletterDate[] {
  return offered.map(({ date, spots }) => ({
    date,
    spots: holding.includes(date) ? Math.min(spots + 1, SPOTS_A_DATE) : spots,
  }));
}

/** Why a date can't be had: it is sold out, kept free by the team (or not on offer yet), over, or no newsletter day. */
export type GoneBecause = "full" | "blocked" | "past" | "no newsletter";

/** Newsletters go out on Tuesdays and Thursdays. False for what is no date at all. */
export function isNewsletterDay(date: string): boolean {
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? new Date(`${date}T00:00:00Z`) : undefined;
  // A day that no month has ("2026-02-30") would be read as one of the next month.
  if (!day || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date) return false;
  return day.getUTCDay() === 2 || day.getUTCDay() === 4;
}

/** The newsletters from today on, for so many weeks. */
export function newsletterDays(now: Date, weeks: number): string[] {
  const today = Date.parse(dayOf(now));
  const days = Array.from({ length: weeks * 7 }, (_, ahead) =>
    dayOf(new Date(today + ahead * 86_400_000)),
  );
  return days.filter(isNewsletterDay);
}

/** The day it is now, in UTC. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

/** Why each of the chosen dates that can't be had can't be. Today's newsletter is closed. */
export function goneDates(
  chosen: readonly string[],
  offered: readonly NewsletterDate[],
  now: Date,
): { date: string; because: GoneBecause }[] {
  const spots = new Map(offered.map((one) => [one.date, one.spots]));
  return chosen.flatMap((date) => {
    if (!isNewsletterDay(date)) return { date, because: "no newsletter" as const };
    if (date <= dayOf(now)) return { date, because: "past" as const };
    const left = spots.get(date);
    if (left === undefined) return { date, because: "blocked" as const };
    return left === 0 ? { date, because: "full" as const } : [];
  });
}

/** Whether what a feature says can still be mended: a newsletter of the order is still to come. */
export function isStillToCome(dates: readonly string[], now: Date): boolean {
  return dates.some((date) => date > dayOf(now));
}

/** An order, as far as its state depends on it. */
export interface OrderFacts {
  paid: boolean;
  dates: readonly string[];
  /** How its payment stands, in the words of billing. */
  payment: string | null;
}

/**
 * What an order is: paid for; its payment on its way; waiting for payment; or, without any date, costing
 * nothing and so nothing to pay, kept until somebody chooses dates.
 */
export type SponsorshipState = "paid" | "confirming" | "unpaid" | "undated";

export function sponsorshipState({ paid, dates, payment }: OrderFacts): SponsorshipState {
  if (paid) return "paid";
  if (payment === "confirming") return "confirming";
  return dates.length === 0 ? "undated" : "unpaid";
}

/** Until when the spots of an order are held: the first to run out counts, and one that did ends it for all. Null when they are not. */
export function heldUntil(
  spots: readonly { held_until: string | null }[],
  now: Date,
): string | null {
  const ends = spots.map(({ held_until }) => held_until).filter((end) => end !== null);
  if (ends.length === 0) return null;
  const first = ends.reduce((a, b) => (Date.parse(a) <= Date.parse(b) ? a : b));
  return Date.parse(first) > now.getTime() ? first : null;
}
