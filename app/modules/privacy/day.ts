const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" });

/** "November 27, 2026 (UTC)". */
export function dayInWords(moment: string): string {
  return `${day.format(new Date(moment))} (UTC)`;
}
