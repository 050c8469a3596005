import type { ReactNode } from "react";

import { useHydrated } from "~/components/forms/use-hydrated";
import { formatCount } from "~/text/counts";

/** The hint of a text area: without script, which counts near the limit, it has the limit. */
export function addLimitToHint(hint: ReactNode, limit: number | undefined): ReactNode {
  if (limit === undefined) return hint;
  return (
    <>
      {hint} <noscript>{`At most ${formatCount(limit, "character")}.`}</noscript>
    </>
  );
}

interface CharacterCountProps {
  limit: number;
  length: number;
}

/**
 * How many characters are left in the last tenth of the limit, and how many are over it. Needs script: until then it
 * only takes its room.
 */
export function CharacterCount({ limit, length }: CharacterCountProps) {
  const hydrated = useHydrated();
  const left = limit - length;
  if (left >= limit / 10) return null;
  return (
    <p
      className={`${left < 0 ? "field-error" : "hint"}${hydrated ? "" : " awaits-script"}`}
      role="status"
    >
      {left < 0
        ? `${formatCount(-left, "character")} too many`
        : `${formatCount(left, "character")} left`}
    </p>
  );
}
