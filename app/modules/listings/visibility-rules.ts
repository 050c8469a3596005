/** Who decides that a listing is seen: the switches of its owner, or of whoever manages it for them, which need no review. Pure; the database lets an owner set nothing else. */

export const VISIBILITY_INTENTS = ["hide", "show", "archive", "keep"] as const;
export type VisibilityIntent = (typeof VISIBILITY_INTENTS)[number];

/** What the switches of a listing stand at. */
export interface Visibility {
  status: string;
  hidden: boolean;
  archive_requested: boolean;
}

const isPublic = ({ status }: Visibility) => status === "published" || status === "pending-update";

/**
 * What an owner may do with a listing's visibility now. "archive" asks the team to take it out of the directory, and
 * "keep" takes that back.
 */
export function visibilityChoices(listing: Visibility, managed = false): VisibilityIntent[] {
  if (listing.status === "archived") return [];
  const choices: VisibilityIntent[] = [];
  if (listing.hidden) choices.push("show");
  else if (isPublic(listing)) choices.push("hide");
  if (!managed) choices.push(listing.archive_requested ? "keep" : "archive");
  return choices;
}

/** What each choice sets. */
export const VISIBILITY_CHANGES: Readonly<
  Record<VisibilityIntent, Partial<Pick<Visibility, "hidden" | "archive_requested">>>
> = {
  hide: { hidden: true },
  show: { hidden: false },
  archive: { archive_requested: true },
  keep: { archive_requested: false },
};

/** What the button of each choice says. */
export const VISIBILITY_LABELS: Readonly<Record<VisibilityIntent, string>> = {
  hide: "Hide listing",
  show: "Show listing again",
  archive: "Ask to remove it",
  keep: "Keep it after all",
};

/** What is said once it is done. */
export function visibilityDone(
  intent: VisibilityIntent,
  listing: Visibility & { name: string },
): string {
  const name = `“${listing.name}”`;
  switch (intent) {
    case "hide":
      return `${name} is hidden. You can show it again whenever you like.`;
    case "show":
      return isPublic(listing)
        ? `${name} is shown in the directory again.`
        : `${name} will be shown once it is approved.`;
    case "archive":
      return `We’ve told the team that ${name} should go. Until they have taken it out, you can change your mind.`;
    case "keep":
      return `${name} stays. Nobody will remove it.`;
  }
}
