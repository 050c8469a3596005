import { parseWebLink } from "~/text/web-link";

import { BONUS_QUESTIONS, LISTING_FIELDS, SOCIAL_NETWORKS } from "./fields";
import { formatColumn } from "./format-column";
import type { CategoryOptions, EditableListing } from "./listing.server";
import { formatPlace } from "./rules";
import { parseSocialLink } from "./social-links";

/** A listing as people see it: its public fields, as text. */
export interface PreviewedListing {
  name: string;
  /** The name of its category. */
  kind: string;
  place: string;
  featured: boolean;
  description: string | null;
  address: string | null;
  approximate: boolean;
  phone: string | null;
  email: string | null;
  links: { field: string; url: string }[];
  lists: { field: string; text: string }[];
  /** The labels of the boxes that are checked. */
  boxes: string[];
}

/**
 * The public fields of a listing as it is saved. What only the team sees, such as the mailing address and
 * the address as it was typed, is left out.
 */
export function toPreview(listing: EditableListing, options: CategoryOptions): PreviewedListing {
  const socials = SOCIAL_NETWORKS.map((field) => ({
    field,
    url: listing[field] && parseSocialLink(field, listing[field]),
  }));
  const links = [
    { field: "url", url: listing.url },
    ...socials,
    { field: "linkedin", url: listing.linkedin },
  ];
  const boxes = ["queer_programming", "mission_statement", ...BONUS_QUESTIONS] as const;
  return {
    name: listing.name,
    kind: formatColumn("category", listing.category, options),
    place: formatPlace(listing),
    featured: listing.premium,
    description: listing.description,
    address: listing.address,
    approximate: listing.address_approximate,
    phone: listing.phone,
    email: listing.public_email,
    links: links.flatMap(({ field, url }) => (url && parseWebLink(url) ? [{ field, url }] : [])),
    lists: (["online_categories", "licensed_locations"] as const)
      .filter((field) => listing[field].length > 0)
      .map((field) => ({ field, text: formatColumn(field, listing[field], options) })),
    boxes: boxes.filter((name) => listing[name]).map((name) => LISTING_FIELDS[name].label),
  };
}

/** Who sees what a preview shows. */
export function describePreview({
  status,
  hidden,
}: Pick<EditableListing, "status" | "hidden">): string {
  if (hidden && status === "published")
    return "This listing is hidden, so no one can see it right now. This is how it looks.";
  if (hidden && status === "pending-update")
    return "This listing is hidden, so no one can see it right now. This is how it will look once your changes are approved. If you show it before that, people see the last approved version.";
  switch (status) {
    case "published":
      return "This is what people see.";
    case "pending-update":
      return "Your changes are waiting for review. This is how the listing will look once they’re approved; until then, people see the approved version.";
    case "archived":
    case "flagged":
      return "No one can see this listing right now. This is how it looks.";
    default:
      if (hidden)
        return "No one can see this listing yet, and it stays hidden once it’s approved. This is how it will look once it’s shown.";
      return "No one can see this listing yet. This is how it will look once it’s approved.";
  }
}
