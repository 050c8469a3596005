import type { ReactNode } from "react";

import { useHydrated } from "~/components/forms/use-hydrated";

const words = (count: number) =>
  `${count.toLocaleString("en")} ${count === 1 ? "character" : "characters"}`;

/** A hint that tells the limit as well, when there is one: everybody hears it before they type. */
export function addLimitToHint(hint: ReactNode, limit: number | undefined): ReactNode {
  if (limit === undefined) return hint;
  return (
    <>
      {hint} {`At most ${words(limit)}.`}
    </>
  );
}

interface CharacterCountProps {
  limit: number;
  length: number;
  /** Shown from the start, for a text that may well come near its limit; else only once it is near. */
  always?: boolean;
}

/** How much may still be written, where script runs. Said aloud only near and over the limit. */
export function CharacterCount({ limit, length, always = false }: CharacterCountProps) {
  const hydrated = useHydrated();
  const left = limit - length;
  const near = left < limit / 10;
  if (!hydrated || !(near || always)) return null;
  return (
    <p className={left < 0 ? "field-error" : "hint"} role={near ? "status" : undefined}>
      {left < 0 ? `${words(-left)} too many` : `${words(left)} left`}
    </p>
  );
}
