type Query = Readonly<Record<string, string | number | undefined>>;

/** An address with what is asked of it; what is empty or left out is not asked. */
function withQuery(path: string, query: Query): string {
  const params = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
  );
  return params.size > 0 ? `${path}?${params}` : path;
}

/** Every address of the dashboard, so that a link to a page that is not there does not compile. */
export const paths = {
  home: () => "/",
  login: (redirectTo?: string) => withQuery("/login", { redirectTo }),
  logout: () => "/logout",
  signup: () => "/signup",
  confirm: () => "/confirm",
  recovery: (redirectTo?: string) =>
    withQuery("/recovery", { redirectTo: redirectTo === "/" ? undefined : redirectTo }),
  newPassword: () => "/recovery/new",
  switchAccount: () => "/switch-account",
  resume: (form?: string) => (form ? `/resume?form=${form}` : "/resume"),
  account: () => "/account",
  listings: () => "/listings",
  /** A page of the dashboard: which listings, what is searched for, and the listing that the page begins after or ends before. */
  listingsPage: (query: { needs?: "you"; search?: string; after?: number; before?: number }) =>
    withQuery("/listings", query),
  newListing: (draft?: string) =>
    draft === undefined ? "/listings/new" : `/listings/new?draft=${encodeURIComponent(draft)}`,
  listing: (id: number | string) => `/listings/${id}`,
  addresses: () => "/addresses",
  /** Who manages a listing for its owner; where one of them is removed; and where they leave by themselves. */
  listingManagers: (id: number | string) => `/listings/${id}/managers`,
  removeManager: (id: number | string, person: string) =>
    `/listings/${id}/managers/${encodeURIComponent(person)}`,
  leaveListing: (id: number | string) => `/listings/${id}/leave`,
  /** What an invitation offers; with the token of its link, when it comes from an e-mail. */
  invitation: (token?: string) => withQuery("/invitation", { token }),
  listingVisibility: (id: number | string) => `/listings/${id}/visibility`,
  archiveListing: (id: number | string) => `/listings/${id}/archive`,
  discardDraft: (id: string) => `/listings/drafts/${encodeURIComponent(id)}/discard`,
  /** A page of the leads: of one listing, in one state, and the lead that the page begins after or ends before. */
  leads: (query: { listing?: number; state?: string; after?: number; before?: number } = {}) =>
    withQuery("/leads", query),
  leadsCsv: (query: { listing?: number; state?: string } = {}) => withQuery("/leads.csv", query),
  lead: (id: number | string) => `/leads/${id}`,
  jobs: () => "/jobs",
  /** A page of one's jobs: the job that it begins after or ends before. */
  jobsPage: (query: { after?: number; before?: number }) => withQuery("/jobs", query),
  /** A new job; filled in as another one is, when that is given. */
  newJob: (like?: number) => withQuery("/jobs/new", { like }),
  job: (id: number | string) => `/jobs/${id}`,
  /** What can be done with a job: publish, renew, mark as filled, duplicate. */
  jobStatus: (id: number | string) => `/jobs/${id}/status`,
  previewJob: (id: number | string) => `/jobs/${id}/preview`,
  privacy: () => "/privacy",
  myData: () => "/privacy/my-data.json",
  deleteAccount: () => "/privacy/delete",
  emailPreferences: () => "/account/notices",
  unsubscribe: (notice: string) => `/unsubscribe?notice=${encodeURIComponent(notice)}`,
  trackingConsent: () => "/privacy/tracking",
  sponsorships: () => "/sponsor",
  /** A page of one's orders: those made before this one. */
  sponsorshipsPage: (query: { before?: number }) => withQuery("/sponsor", query),
  newSponsorship: () => "/sponsor/new",
  sponsorship: (id: number | string) => `/sponsor/${id}`,
  sponsorshipCalendar: (id: number | string) => `/sponsor/${id}/calendar.ics`,
  /** The Featured tier; for this listing when one is named. */
  upgrade: (listing?: number) => withQuery("/upgrade", { place: listing }),
  billing: (listing: number | string) => `/listings/${listing}/billing`,
  admin: () => "/admin",
  /** The five tables of the review desk, under a filter and at a place in them. */
  adminListings: (query: Query = {}) => withQuery("/admin/listings", query),
  adminNew: (query: Query = {}) => withQuery("/admin/new", query),
  adminPending: (query: Query = {}) => withQuery("/admin/pending", query),
  adminFlagged: (query: Query = {}) => withQuery("/admin/flagged", query),
  adminPremium: (query: Query = {}) => withQuery("/admin/premium", query),
  /** One listing to decide on, and the filter of the table that it was opened from. */
  adminReview: (id: number | string, filter: Query = {}) =>
    withQuery(`/admin/listings/${id}`, filter),
  /** What an admin decides a listing by, at a glance. */
  adminListingDetails: (id: number | string, filter: Query = {}) =>
    withQuery(`/admin/listings/${id}/details`, filter),
  adminListingsCsv: (filter: Query = {}) => withQuery("/admin/listings.csv", filter),
  adminListingsExport: (filter: Query = {}) => withQuery("/admin/listings/export", filter),
  /** A choice of listings: what a decision would do, does, and did. */
  adminDecision: (batch: string, query: Query = {}) =>
    withQuery(`/admin/decisions/${encodeURIComponent(batch)}`, query),
  /** A page of everybody's jobs: which ones, what is searched for, and the job that it begins after or ends before. */
  adminJobs: (query: { state?: string; search?: string; after?: number; before?: number } = {}) =>
    withQuery("/admin/jobs", query),
  adminRetool: () => "/admin/retool",
  adminUsers: (filter: { name?: string; email?: string; after?: string; before?: string } = {}) =>
    withQuery("/admin/users", filter),
  /** The newsletters to come; with what stands in one of them, when that is given. */
  adminNewsletters: (query: { date?: string } = {}) => withQuery("/admin/newsletter-dates", query),
  /** The same filter as the list's, as a download; and where it is asked for with contact details. */
  adminUsersCsv: (filter: { name?: string; email?: string } = {}) =>
    withQuery("/admin/users.csv", filter),
  adminUsersExport: (filter: { name?: string; email?: string } = {}) =>
    withQuery("/admin/users/export", filter),
  adminUser: (id: string) => `/admin/users/${encodeURIComponent(id)}`,
  deleteUser: (id: string) => `/admin/users/${encodeURIComponent(id)}/delete`,
  adminFeedback: (query: { completed?: "yes"; after?: string; before?: string } = {}) =>
    withQuery("/admin/feedback", query),
  adminFeedbackCsv: (query: { completed?: "yes" } = {}) => withQuery("/admin/feedback.csv", query),
  adminReportsCsv: (query: { state?: string } = {}) => withQuery("/admin/reports.csv", query),
  adminReports: (query: { state?: string; after?: string; before?: string } = {}) =>
    withQuery("/admin/reports", query),
  adminAuditCsv: (
    filter: Partial<
      Record<"who" | "action" | "subject" | "subject_id" | "from" | "to", string>
    > = {},
  ) => withQuery("/admin/audit.csv", filter),
  adminJobsCsv: (query: { state?: string; search?: string } = {}) =>
    withQuery("/admin/jobs.csv", query),
  adminAudit: (
    filter: Partial<
      Record<
        "who" | "action" | "subject" | "subject_id" | "from" | "to" | "after" | "before",
        string
      >
    > = {},
  ) => withQuery("/admin/audit", filter),
} as const;
