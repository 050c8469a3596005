import { NAVIGATION } from "~/components/layout/navigation";
import { paths } from "~/http/paths";

/**
 * The page above those of a listing: where it was opened from, or else the list that it is in for this user.
 * @param back from the URL
 */
export function getListingParent(back?: string, role?: string): { to: string; label: string } {
  if (back === undefined && role === "admin")
    return { to: paths.adminListings(), label: "All Listings" };
  const to = back ?? paths.listings();
  return { to, label: findPageName(to.split("?")[0]!) };
}

/** The name of a page that leads to the form of a listing. */
function findPageName(pathname: string): string {
  if (/^\/admin\/listings\/\d/.test(pathname))
    return pathname.endsWith("/details") ? "Details" : "Review";
  const links = NAVIGATION.flatMap((group) => group.links);
  return links.find(({ to }) => to === pathname)?.label ?? "Back";
}
