import { paths } from "~/http/paths";

/**
 * The page above those of a listing: where it was opened from, or else the list that it is in for this user.
 * @param back from the URL
 */
export function getListingParent(back?: string, role?: string): { to: string; label: string } {
  if (back === undefined && role === "admin")
    return { to: paths.adminListings(), label: "All Listings" };
  const to = back ?? paths.listings();
  return { to, label: to.startsWith(paths.listings()) ? "Business Listings" : "Back" };
}
