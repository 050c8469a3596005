const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });
const time = new Intl.DateTimeFormat("en-US", { timeStyle: "short", timeZone: "UTC" });

/** "Nov 20, 2026", in UTC. */
export const dayOfMoment = (at: string): string => day.format(new Date(at));

/** "3:05 PM UTC" */
export const timeOfMoment = (at: string): string => `${time.format(new Date(at))} UTC`;
