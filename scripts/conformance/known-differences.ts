import type { Result } from "./run";

interface KnownDifference {
  /** The name of the check. */
  check: string;
  actual: string;
  /** Whether the local stand-in has it; the others are those of the hosted services alone. */
  local: boolean;
  reason: string;
}

const NO_BANS = "The local stand-in bans no accounts, and neither does the dashboard.";

/**
 * Where a Supabase differs from what the suite expects, and why. Each is about one outcome: any other one
 * is still reported.
 */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    check: "sign-up: what tells them apart",
    actual: "identities role user_metadata",
    local: true,
    reason:
      "The auth service answers a sign-up without an identity and a role when the address has an account. No " +
      "setting changes that. The dashboard shows no one that answer; anyone with the publishable key can ask " +
      "for it (docs/security.md).",
  },
  ...[
    ["bans: banning", "405"],
    ["bans: a session", "200"],
    ["bans: sign-in", "ok"],
    ["bans: refreshing", "ok"],
    ["bans: ending the ban", "405"],
  ].map(([check, actual]) => ({ check: check!, actual: actual!, local: true, reason: NO_BANS })),
  {
    check: "requests: the API lists what it has",
    actual: "no",
    local: true,
    reason:
      "The local stand-in's data API describes itself without its tables and functions. The types in " +
      "database.types.ts, from which the suite has its list, are checked against the schema by npm test.",
  },
  {
    check: "limits: many links that do not exist",
    actual: "no",
    local: true,
    reason: "The local stand-in limits no addresses: everything comes from one there.",
  },
  ...[
    ["errors: a user without a token", "403 bad_jwt"],
    ["errors: an admin's page for a visitor", "403 not_admin"],
  ].map(([check, actual]) => ({
    check: check!,
    actual: actual!,
    local: false,
    reason:
      "A gateway may put a token of the role anon in place of a publishable key, so that a request without a " +
      "token arrives with one. It is refused in other words.",
  })),
];

/** The reason of a difference, if it is a known one. */
export function findKnown({ check, actual }: Result): string | null {
  const known = KNOWN_DIFFERENCES.find((one) => check === one.check && actual === one.actual);
  return known?.reason ?? null;
}
