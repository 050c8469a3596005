/** One line of the side column. */
export interface NavigationLink {
  to: string;
  label: string;
  /** The page has security headers of its own, so that it must be loaded as a document. */
  document?: true;
}

/** Lines that belong together; a group with a label shows it above its lines. */
export interface NavigationGroup {
  label: string | null;
  /** Shown to admins alone. This hides links and guards nothing: each route states its own access. */
  adminOnly: boolean;
  links: readonly NavigationLink[];
}

/**
 * The side column, in its order. A line is added here in the same change that adds its route: nothing is ever linked
 * that does not exist.
 */
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    label: null,
    adminOnly: false,
    links: [
      { to: "/", label: "Home" },
      { to: "/listings", label: "Business Listings" },
      { to: "/leads", label: "Leads" },
      { to: "/jobs", label: "Job Listings" },
      { to: "/sponsor", label: "Newsletter Features" },
      { to: "/account", label: "My Account" },
    ],
  },
  {
    label: "Admin",
    adminOnly: true,
    links: [
      { to: "/admin", label: "Admin Dashboard" },
      { to: "/admin/retool", label: "Database", document: true },
      { to: "/admin/listings", label: "All Listings" },
      { to: "/admin/jobs", label: "All Jobs" },
      { to: "/admin/new", label: "New" },
      { to: "/admin/pending", label: "Pending Updates" },
      { to: "/admin/premium", label: "Premium" },
      { to: "/admin/flagged", label: "Flagged" },
      { to: "/admin/users", label: "Users" },
      { to: "/admin/feedback", label: "App Feedback" },
      { to: "/admin/reports", label: "User Reports" },
      { to: "/admin/newsletter-dates", label: "Newsletter Dates" },
      { to: "/admin/audit", label: "Audit Log" },
    ],
  },
];

/** The groups somebody sees. */
export function getNavigation(user: { admin: boolean }): NavigationGroup[] {
  return NAVIGATION.filter((group) => user.admin || !group.adminOnly);
}

/**
 * The line that stands for the page at `pathname`: the longest one that the address begins with, so that
 * "/admin/new" is "New" and not "Admin Dashboard". Undefined when no line does.
 */
export function findCurrentLink(
  groups: readonly NavigationGroup[],
  pathname: string,
): NavigationLink | undefined {
  let best: NavigationLink | undefined;
  for (const { links } of groups) {
    for (const link of links) {
      const stands =
        pathname === link.to || (link.to !== "/" && pathname.startsWith(`${link.to}/`));
      if (stands && (best === undefined || link.to.length > best.to.length)) best = link;
    }
  }
  return best;
}
