/** One link of the sidebar. */
interface NavigationLink {
  to: string;
  label: string;
  /** The page has its own security headers, so that it must be loaded as a document. */
  document?: true;
}

/** A group of links. Its label, when it has one, is shown above them. */
interface NavigationGroup {
  label: string | null;
  /** Shown only to admins. This hides links and protects nothing: each route states its access. */
  adminOnly: boolean;
  links: readonly NavigationLink[];
}

/** The links of the sidebar. A test shows that each one has a route. */
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
      { to: "/admin/payments", label: "Payments" },
      { to: "/admin/audit", label: "Audit Log" },
      { to: "/admin/two-step", label: "Two-Step Sign-In" },
    ],
  },
];

/** The groups that a user sees. */
export function getNavigation(user: { admin: boolean }): NavigationGroup[] {
  return NAVIGATION.filter((group) => user.admin || !group.adminOnly);
}

/**
 * The link of the page at `pathname`: the one with the longest matching path, so that "/admin/new"
 * is "New" and not "Admin Dashboard". Undefined when none matches.
 */
export function findCurrentLink(
  groups: readonly NavigationGroup[],
  pathname: string,
): NavigationLink | undefined {
  let best: NavigationLink | undefined;
  for (const { links } of groups) {
    for (const link of links) {
      const matches =
        pathname === link.to || (link.to !== "/" && pathname.startsWith(`${link.to}/`));
      if (matches && (best === undefined || link.to.length > best.to.length)) best = link;
    }
  }
  return best;
}
