import { formatDollars } from "./prices";

/**
 * What the payer of a plan has in credit, and what happens to it, as sentences; null without
 * credit. Stripe uses it for the next bills of all their plans.
 * @param goesOn whether there is a next bill of any of them
 */
export function describeCredit(cents: number, goesOn: boolean): string | null {
  if (cents === 0) return null;
  return goesOn
    ? `You have ${formatDollars(cents)} in credit. We’ll apply it to your next bills.`
    : `You still have ${formatDollars(cents)} in credit. Please get in touch about it.`;
}
