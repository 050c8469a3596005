import type { World } from "./world";

/** The days of the newsletters that can be booked ("2026-11-24"), the next one first. */
export async function listNewsletterDates(
  world: Pick<World, "sql">,
): Promise<[string, string, string, ...string[]]> {
  const rows = await world.sql(
    "select weekday_date::text as day from public.get_available_sponsorship_dates() order by 1",
  );
  const [first, second, third, ...others] = rows.map(({ day }) => String(day));
  if (!first || !second || !third) throw new Error("There are too few newsletters to book.");
  return [first, second, third, ...others];
}
