import type { IconName } from "~/components/ui/icon-names";

/** One link of the sidebar. */
interface NavigationLink {
  to: string;
  label: string;
  icon: IconName;
  /** The page has its own security headers, so that it must be loaded as a document. */
  document?: true;
  /** Its count is that of everything on the page, not of what is waiting there. */
  total?: true;
}

/** The counts beside the links, by path. A link without one has none. */
export type LinkCounts = Readonly<Record<string, number>>;

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
      { to: "/", label: "Home", icon: "house" },
      { to: "/listings", label: "Business Listings", icon: "store" },
      { to: "/leads", label: "Leads", icon: "message-square" },
      { to: "/jobs", label: "Job Listings", icon: "briefcase" },
      { to: "/sponsor", label: "Newsletter Features", icon: "newspaper" },
      { to: "/account", label: "My Account", icon: "user" },
    ],
  },
  {
    label: null,
    adminOnly: true,
    links: [{ to: "/admin", label: "Admin Dashboard", icon: "chart-column" }],
  },
  {
    label: "Queues",
    adminOnly: true,
    links: [
      { to: "/admin/new", label: "New", icon: "circle-plus" },
      { to: "/admin/pending", label: "Pending Updates", icon: "pencil" },
      { to: "/admin/flagged", label: "Flagged", icon: "flag" },
      { to: "/admin/reports", label: "User Reports", icon: "triangle-alert" },
      { to: "/admin/feedback", label: "App Feedback", icon: "message-square" },
    ],
  },
  {
    label: "Directory",
    adminOnly: true,
    links: [
      { to: "/admin/listings", label: "All Listings", icon: "list", total: true },
      { to: "/admin/premium", label: "Premium", icon: "star", total: true },
      { to: "/admin/jobs", label: "All Jobs", icon: "briefcase", total: true },
      { to: "/admin/users", label: "Users", icon: "users", total: true },
      { to: "/admin/retool", label: "Database", icon: "database", document: true },
    ],
  },
  {
    label: "Newsletter and records",
    adminOnly: true,
    links: [
      { to: "/admin/newsletter-dates", label: "Newsletter Dates", icon: "calendar" },
      { to: "/admin/payments", label: "Payments", icon: "credit-card" },
      { to: "/admin/audit", label: "Audit Log", icon: "file-text" },
      { to: "/admin/two-step", label: "Two-Step Sign-In", icon: "key-round" },
    ],
  },
];

/** The groups that a user sees. */
export function getNavigation(user: { admin: boolean }): NavigationGroup[] {
  return NAVIGATION.filter((group) => user.admin || !group.adminOnly);
}

/** Where a page is in the navigation: its own URL, or that of the page above it. */
export interface Place {
  pathname: string;
  search: string;
}

/** Whether a page is one of the admin pages, which are denser and have their own links first. */
export function isAdminPage({ pathname }: Place): boolean {
  return pathname === "/admin" || pathname.startsWith("/admin/");
}

/**
 * The link of a page: the one with the longest matching path, so that "/admin/new"
 * is "New" and not "Admin Dashboard". A listing that was opened from a queue, and a decision on
 * listings of it, belong to that queue, which the address names (`?view=pending`), or else to All Listings. Undefined when
 * none matches.
 */
export function findCurrentLink(
  groups: readonly NavigationGroup[],
  { pathname, search }: Place,
): NavigationLink | undefined {
  const queue = `/admin/${new URLSearchParams(search).get("view") ?? "listings"}`;
  if (/^\/admin\/(listings|decisions)\//.test(pathname)) {
    const found = groups.flatMap(({ links }) => links).find(({ to }) => to === queue);
    if (found) return found;
  }
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
