/** The addresses of all pages that exist for someone, for tests of what holds for every page. */

/** What the owner of the demo data has: the id of one of each. */
export interface Owned {
  listing: string;
  /** A listing with an edit that waits for review. */
  edited: string;
  /** A listing with a plan, for its billing. */
  featured: string;
  job: string;
  lead: string;
  unpaid: string;
  paid: string;
}

export const PUBLIC_PATHS = [
  "/login",
  "/signup",
  "/recovery",
  "/upgrade",
  "/privacy",
  "/privacy/tracking",
];

export const ownerPaths = ({
  listing,
  edited,
  featured,
  job,
  lead,
  unpaid,
  paid,
}: Owned): string[] => [
  "/",
  "/listings",
  "/listings/new",
  `/listings/${listing}`,
  `/listings/${listing}/preview`,
  `/listings/${edited}/withdraw`,
  `/listings/${listing}/managers`,
  `/listings/${listing}/visibility`,
  `/listings/${featured}/billing`,
  `/listings/${featured}/billing/end`,
  "/upgrade",
  "/jobs",
  "/jobs/new",
  `/jobs/${job}`,
  `/jobs/${job}/status`,
  `/jobs/${job}/preview`,
  "/leads",
  `/leads/${lead}`,
  "/sponsor",
  "/sponsor/new",
  `/sponsor/${unpaid}`,
  `/sponsor/${paid}`,
  "/account",
  "/account/notices",
  "/account/purchases",
  "/account/invoices",
  "/account/two-step",
  "/privacy",
  "/privacy/delete",
];

/** @param edited a listing with an edit that waits for review @param user any account */
export const adminPaths = ({ edited, user }: { edited: string; user: string }): string[] => [
  "/admin",
  "/admin/new",
  "/admin/pending",
  "/admin/flagged",
  "/admin/listings",
  "/admin/premium",
  "/admin/jobs",
  "/admin/users",
  `/admin/users/${user}`,
  `/admin/users/${user}/delete`,
  "/admin/users/export",
  "/admin/feedback",
  "/admin/reports",
  "/admin/audit",
  "/admin/payments",
  "/admin/newsletter-dates",
  "/admin/two-step",
  `/admin/listings/${edited}?view=pending`,
  `/admin/listings/${edited}/details`,
];
