const dayOf = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
const momentOf = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle: "h23",
  timeZone: "UTC",
});

/** A day in UTC, which the head of its column or the words beside it say: "Nov 3, 2026". */
export function DateText({ at }: { at: string }) {
  return <time dateTime={at}>{dayOf.format(new Date(at))}</time>;
}

/** A day and an hour, with their zone: "Nov 3, 2026, 14:05 UTC". */
export function TimestampText({ at }: { at: string }) {
  return <time dateTime={at}>{`${momentOf.format(new Date(at))} UTC`}</time>;
}
