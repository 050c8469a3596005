import type { ReactNode } from "react";

import { useHydrated } from "~/components/forms/use-hydrated";
import { formatCount } from "~/text/counts";

/**
 * The hint with the limit, when there is one, so that screen readers read it before the user types.
 */
export function addLimitToHint(hint: ReactNode, limit: number | undefined): ReactNode {
  if (limit === undefined) return hint;
  return (
    <>
      {hint} {`At most ${formatCount(limit, "character")}.`}
    </>
  );
}

interface CharacterCountProps {
  limit: number;
  length: number;
  /** Shows the count from the start. By default it appears when the text is near its limit. */
  always?: boolean;
}

/** How many characters are left, where script runs. Announced only near and over the limit. */
export function CharacterCount({ limit, length, always = false }: CharacterCountProps) {
  const hydrated = useHydrated();
  const left = limit - length;
  const near = left < limit / 10;
  if (!hydrated || !(near || always)) return null;
  return (
    <p className={left < 0 ? "field-error" : "hint"} role={near ? "status" : undefined}>
      {left < 0
        ? `${formatCount(-left, "character")} too many`
        : `${formatCount(left, "character")} left`}
    </p>
  );
}
