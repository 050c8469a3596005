import { paths } from "~/http/paths";

import type { ChangedColumn, EditStatusProps } from "./edit-status";
import { getColumnLabel } from "./fields";
import { formatColumn } from "./format-column";
import type { CategoryOptions, getListingToEdit } from "./listing.server";
import { describeMove, isCoordinate, PIN_COLUMNS } from "./pin-move.server";
import { describeApprovedVersion, getOpenMatter, getStatusBadge, type OwnRole } from "./rules";
import { canWithdraw } from "./withdraw-edit.server";

/** The badge of a listing's own pages: as on Business Listings, without what a plan would add. */
export const getFormBadge = (listing: Parameters<typeof getOpenMatter>[0]) =>
  getOpenMatter(listing) ?? getStatusBadge(listing.status);

type Listing = Awaited<ReturnType<typeof getListingToEdit>>;
type Columns = Readonly<Record<string, unknown>>;

/** What people read as an address. A look-up sets with it where its pin is, and how exactly. */
const hasAddress = (edit: Columns) => "rawaddress" in edit || "address" in edit;

/** The columns of an edit that people read. What becomes of the coordinates is said in words. */
const namesOf = (edit: Columns) =>
  Object.keys(edit).filter((column) =>
    hasAddress(edit) ? !PIN_COLUMNS.includes(column) : !isCoordinate(column),
  );

/** Where the pin on the map was, of a listing and its edit. */
const pinOf = (listing: Columns, edit: Columns = {}) => ({
  lat: "lat" in edit ? edit["lat"] : listing["lat"],
  long: "long" in edit ? edit["long"] : listing["long"],
});

/**
 * An edit that waits for review.
 * @returns each changed column with its approved value and, as `waiting`, its new one; nothing if no edit waits
 */
export function describePendingEdit(
  listing: Listing,
  options: CategoryOptions,
): (ChangedColumn & { waiting: string })[] {
  if (listing.status !== "pending-update") return [];
  const live = listing.last_update as Columns;
  const rows = namesOf(live).map((column) => ({
    column,
    label: getColumnLabel(column),
    value: formatColumn(column, live[column], options),
    waiting: formatColumn(column, (listing as Columns)[column], options),
  }));
  if (!Object.keys(live).some(isCoordinate)) return rows;
  const move = describeMove(pinOf(listing, live), pinOf(listing));
  // An address says as well that the pin is a little further.
  if (hasAddress(live) && !move.isFar) return rows;
  const pin = {
    column: "position",
    label: getColumnLabel("position"),
    value: move.was ?? "Empty",
    waiting: move.text,
  };
  return [...rows, pin];
}

/**
 * An edit that was rejected. It is kept beside later edits, and says nothing about them.
 * @returns the team's reason, or else what happened to the approved version, and the rejected values; null if none was
 *   rejected
 */
function describeRejectedEdit(
  { rejected, status, modified_at, hidden }: Listing,
  options: CategoryOptions,
): EditStatusProps["rejected"] {
  if (!rejected) return null;
  const edit = rejected.edit as Columns;
  const changes = namesOf(edit).map((column) => ({
    column,
    label: getColumnLabel(column),
    value: formatColumn(column, edit[column], options),
  }));
  const { rejected_at: at } = rejected;
  // Since then, the listing may have been flagged or removed.
  const isApproved = status === "published" || status === "pending-update";
  const reason = rejected.reason ?? (isApproved ? describeApprovedVersion(hidden) : null);
  const isLast = status !== "pending-update" && Date.parse(modified_at) <= Date.parse(at);
  const title = `${isLast ? "Your" : "Earlier"} changes weren’t approved`;
  return { title, reason, changes, at };
}

/**
 * What the page of a listing's form says above it; null when there is nothing to say.
 * @param back the page to return to after withdrawing an edit
 */
export function describeEditStatus(
  listing: Listing,
  options: CategoryOptions,
  role: OwnRole | "admin",
  back: string | undefined,
): EditStatusProps | null {
  const status = {
    claims: role === "claimant",
    forAdmin: role === "admin",
    hidden: listing.hidden,
    flagged: role !== "admin" && listing.status === "flagged",
    requested: listing.changes_requested,
    rejected: describeRejectedEdit(listing, options),
    changes: describePendingEdit(listing, options),
    withdraw: canWithdraw(listing, role) ? paths.withdrawEdit(listing.id, back) : undefined,
    discard:
      role === "owner" || role === "manager" ? paths.withdrawEdit(listing.id, back) : undefined,
  };
  const { claims, flagged, requested, rejected, changes } = status;
  return claims || flagged || requested || rejected || changes.length > 0 ? status : null;
}
