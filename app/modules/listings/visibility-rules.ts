/**
 * The visibility of a listing: what its owner, or a manager, changes without a review. Pure. The
 * database has the same rules.
 */

import { isolate } from "~/text/isolate";

export const VISIBILITY_INTENTS = ["hide", "show", "archive", "keep"] as const;
/** Hide it, show it again, request its removal, or cancel that request. */
export type VisibilityIntent = (typeof VISIBILITY_INTENTS)[number];

export interface Visibility {
  status: string;
  hidden: boolean;
  archive_requested: boolean;
}

const isApproved = ({ status }: Pick<Visibility, "status">) =>
  status === "published" || status === "pending-update";

/** Whether everyone who visits the directory finds a listing. */
export const isPublic = (listing: Pick<Visibility, "status" | "hidden">): boolean =>
  isApproved(listing) && !listing.hidden;

/**
 * What may be done with a listing's visibility now.
 * @param managed for a manager, who can't request the removal of a listing, nor show one whose owner has requested it
 */
export function getVisibilityIntents(listing: Visibility, managed = false): VisibilityIntent[] {
  if (listing.status === "archived") return [];
  const { hidden, archive_requested } = listing;
  if (managed) return !hidden ? ["hide"] : archive_requested ? [] : ["show"];
  return [hidden ? "show" : "hide", archive_requested ? "keep" : "archive"];
}

/** The columns that each intent sets. */
export const VISIBILITY_CHANGES: Readonly<
  Record<VisibilityIntent, Partial<Pick<Visibility, "hidden" | "archive_requested">>>
> = {
  hide: { hidden: true },
  show: { hidden: false },
  archive: { archive_requested: true },
  keep: { archive_requested: false },
};

export const VISIBILITY_LABELS: Readonly<Record<VisibilityIntent, string>> = {
  hide: "Hide listing",
  show: "Show listing again",
  archive: "Request removal",
  keep: "Cancel request",
};

/** The message after a change. */
export function formatVisibilityResult(
  intent: VisibilityIntent,
  listing: Visibility & { name: string },
): string {
  const name = `“${isolate(listing.name)}”`;
  switch (intent) {
    case "hide":
      return isApproved(listing)
        ? `${name} is hidden. You can show it again any time.`
        : `${name} is hidden. Once it’s approved, it stays hidden until you show it.`;
    case "show":
      // What they have changed while no one saw it, such as an address, isn't what people see now.
      return isApproved(listing)
        ? `${name} is back in the directory.${listing.status === "pending-update" ? " Until the changes that are waiting for review are approved, people see the last approved version. If you don’t want them to see that version, hide the listing again." : ""}`
        : `${name} will appear in the directory once it’s approved.`;
    case "archive":
      return `We’ve sent your request to remove ${name}. You can cancel it until it’s been removed.${isPublic(listing) ? " Until then, everyone can see it, unless you hide it." : ""}`;
    case "keep":
      return `Your request is canceled. ${describeKept(listing, name)}`;
  }
}

function describeKept(listing: Visibility, name: string): string {
  if (!isApproved(listing))
    return listing.hidden
      ? `${name} isn’t in the directory: it’s hidden and hasn’t been approved.`
      : `${name} will appear in the directory once it’s approved.`;
  return listing.hidden
    ? `${name} stays hidden until you show it again.`
    : `${name} stays in the directory.`;
}
