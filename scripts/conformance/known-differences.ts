import type { Result } from "./run";

interface KnownDifference {
  /** The beginning of the names of the checks that it is about. */
  check: string;
  actual: string;
  reason: string;
}

/**
 * Where a Supabase differs from what the suite expects, and why that is no fault of it or of ours. Each
 * is about one outcome: any other one is still reported.
 */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];

/** The reason of a difference, if it is a known one. */
export function findKnown({ check, actual }: Result): string | null {
  const known = KNOWN_DIFFERENCES.find((one) => check === one.check && actual === one.actual);
  return known?.reason ?? null;
}
