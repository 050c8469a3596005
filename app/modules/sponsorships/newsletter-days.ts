/** Days of newsletters in words. They are days and no moments: the same everywhere, so no zone is told. */

const formats = {
  /** "Tue, Nov 24" */
  short: new Intl.DateTimeFormat("en-US", {
    weekday: "short",
    month: "short",
    day: "numeric",
    timeZone: "UTC",
  }),
  /** "Tuesday, November 24, 2026" */
  long: new Intl.DateTimeFormat("en-US", { dateStyle: "full", timeZone: "UTC" }),
  /** "November 2026" */
  month: new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" }),
};

/** @param date YYYY-MM-DD */
export function dayInWords(date: string, form: keyof typeof formats = "long"): string {
  return formats[form].format(new Date(`${date}T00:00:00Z`));
}

/** "Tue, Nov 24; Thu, Nov 26" */
export function daysInWords(
  dates: readonly string[],
  form: keyof typeof formats = "short",
): string {
  return dates.map((date) => dayInWords(date, form)).join("; ");
}
