/** What can be decided on one listing, and why it could not be approved as it stands. Pure: the database judges again. */
import { getStatusBadges, getStatusLabel, type StatusBadge } from "~/modules/listings/rules";

import type { Decision } from "./decision-rules";

interface Reviewable {
  status: string;
  /** Whether an edit waits. */
  edited: boolean;
}

/** The decisions that would do something to a listing; approving only when it is not published. */
export function decisionsOn({ status, edited }: Reviewable): Decision[] {
  const waits = status !== "published" && status !== "archived";
  return [
    ...(status === "published" ? [] : (["approve"] as const)),
    ...(waits ? (["request-changes"] as const) : []),
    ...(status === "pending-update" && edited ? (["reject"] as const) : []),
    ...(status === "flagged" ? [] : (["flag"] as const)),
    ...(status === "archived" ? [] : (["archive"] as const)),
    ...(status === "flagged" || status === "archived" ? (["reopen"] as const) : []),
  ];
}

/** What keeps a listing from being approved, in the product's own words. */
export function whyNotApproved({
  owner_email,
  state,
}: {
  owner_email: string | null;
  state: string | null;
}): string[] {
  return [
    ...(owner_email === null ? ["This listing does not have an owner_email."] : []),
    ...(state ? [] : ["This listing does not have a proper address."]),
  ];
}

/** The badges of a listing under review: its status as admins tell it apart, Featured, and whether its owner hides it. */
export function reviewBadges({
  status,
  premium,
  hidden,
}: {
  status: string;
  premium: boolean;
  hidden: boolean;
}): StatusBadge[] {
  const badges = getStatusBadges({ status, premium }).map((badge, index) =>
    index === 0 ? { ...badge, label: getStatusLabel(status) } : badge,
  );
  return [...badges, ...(hidden ? [{ label: "Hidden by its owner", tone: "plain" } as const] : [])];
}
