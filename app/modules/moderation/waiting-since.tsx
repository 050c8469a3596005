import { DateText } from "~/components/ui/date-text";

const DAY_MS = 86_400_000;

/** For how long something has waited, and since which day: "12 days, since Nov 3, 2026 (UTC)". @param now in ms */
export function WaitingSince({ since, now }: { since: string; now: number }) {
  const days = Math.max(0, Math.floor((now - Date.parse(since)) / DAY_MS));
  return (
    <>
      {days === 0 ? "less than a day" : days === 1 ? "1 day" : `${days.toLocaleString("en")} days`},
      since <DateText at={since} /> (UTC)
    </>
  );
}
