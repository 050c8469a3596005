import { useHydrated } from "~/components/forms/use-hydrated";

/** How much may still be written; without script, how much in all. Said aloud only near and over the limit. */
export function CharacterCount({ limit, length }: { limit: number; length: number }) {
  const hydrated = useHydrated();
  const left = limit - length;
  const words = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "character" : "characters"}`;
  if (!hydrated) return <p className="hint">{`At most ${words(limit)}.`}</p>;
  const near = left < limit / 10;
  return (
    <p className={left < 0 ? "field-error" : "hint"} role={near ? "status" : undefined}>
      {left < 0 ? `${words(-left)} too many` : `${words(left)} left`}
    </p>
  );
}
