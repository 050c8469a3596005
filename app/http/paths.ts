type Query = Readonly<Record<string, string | number | undefined>>;
/** What the user's listings show: a chip, a search, and a page. */
interface ListingsQuery {
  show?: string | undefined;
  search?: string | undefined;
  page?: number | undefined;
}

/** A path with its query. Empty and missing values are left out. */
function withQuery(path: string, query: Query): string {
  const params = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
  );
  return params.size > 0 ? `${path}?${params}` : path;
}

/**
 * The URLs of the dashboard's pages and downloads, each named once. The compiler only checks the
 * names; tests/modules/navigation.test.ts shows that each URL has a route.
 */
export const paths = {
  home: () => "/",
  login: (redirectTo?: string) => withQuery("/login", { redirectTo }),
  /** The second step of signing in. */
  secondStep: (redirectTo?: string) => withQuery("/login/code", { redirectTo }),
  logout: () => "/logout",
  /** Takes the choice between the light version and the full one. */
  version: () => "/version",
  signup: () => "/signup",
  confirm: () => "/confirm",
  recovery: (redirectTo?: string) =>
    withQuery("/recovery", { redirectTo: redirectTo === "/" ? undefined : redirectTo }),
  newPassword: () => "/recovery/new",
  switchAccount: () => "/switch-account",
  resume: (form?: string) => (form ? `/resume?form=${form}` : "/resume"),
  account: () => "/account",
  /** Two-step sign-in: turning it on and off. */
  twoStep: (redirectTo?: string) => withQuery("/account/two-step", { redirectTo }),
  newAuthenticator: (redirectTo?: string) => withQuery("/account/two-step/new", { redirectTo }),
  /** The QR code of the authenticator app that is being added. */
  authenticatorQrCode: () => "/account/two-step/qr.svg",
  recoveryCodes: (redirectTo?: string) => withQuery("/account/two-step/codes", { redirectTo }),
  /** What the user paid for. @param year shows one year */
  purchases: (year?: number) => withQuery("/account/purchases", { year }),
  purchasesCsv: (year?: number) => withQuery("/account/purchases.csv", { year }),
  /** The name and address on the user's invoices. */
  invoices: () => "/account/invoices",
  /** The receipt of one payment, at Stripe. */
  receipt: (payment: string) => `/account/purchases/${encodeURIComponent(payment)}/receipt`,
  listings: () => "/listings",
  /** A page of the user's listings, with its filter. */
  listingsPage: (query: ListingsQuery) => withQuery("/listings", { ...query }),
  newListing: (draft?: string) => withQuery("/listings/new", { draft }),
  /** The form of a listing. @param back the page to return to after saving */
  listing: (id: number | string, back?: string) => withQuery(`/listings/${id}`, { back }),
  /** A listing as people see it, as it is saved. @param back as for its form */
  previewListing: (id: number | string, back?: string) =>
    withQuery(`/listings/${id}/preview`, { back }),
  /** Asks before an edit that waits for review is withdrawn. @param back as for its form */
  withdrawEdit: (id: number | string, back?: string) =>
    withQuery(`/listings/${id}/withdraw`, { back }),
  /** The form of a listing at one field. @param back the page to return to after saving */
  fixListing: (id: number | string, field: string, back: string) =>
    `${withQuery(`/listings/${id}`, { back })}#listing-${field}`,
  addresses: () => "/addresses",
  phoneCheck: () => "/phone-check",
  /** The managers of a listing. */
  listingManagers: (id: number | string) => `/listings/${id}/managers`,
  removeManager: (id: number | string, manager: string) =>
    `/listings/${id}/managers/${encodeURIComponent(manager)}`,
  leaveListing: (id: number | string) => `/listings/${id}/leave`,
  /** An invitation to manage a listing. @param token from the link in the email */
  invitation: (token?: string) => withQuery("/invitation", { token }),
  /** @param from what the user's listings showed, to return to */
  listingVisibility: (id: number | string, from: ListingsQuery = {}) =>
    withQuery(`/listings/${id}/visibility`, { ...from }),
  archiveListing: (id: number | string, from: ListingsQuery = {}) =>
    withQuery(`/listings/${id}/archive`, { ...from }),
  discardDraft: (id: string, from: ListingsQuery = {}) =>
    withQuery(`/listings/drafts/${encodeURIComponent(id)}/discard`, { ...from }),
  /** A page of the leads, with its filter. */
  leads: (query: { listing?: number; state?: string; after?: number; before?: number } = {}) =>
    withQuery("/leads", query),
  leadsCsv: (query: { listing?: number; state?: string } = {}) => withQuery("/leads.csv", query),
  lead: (id: number | string) => `/leads/${id}`,
  jobs: () => "/jobs",
  /** A page of the user's jobs. */
  jobsPage: (query: { after?: number; before?: number }) => withQuery("/jobs", query),
  /** The form for a new job. @param like the id of a job to copy the fields from */
  newJob: (like?: number) => withQuery("/jobs/new", { like }),
  newJobDraft: (draft: string) => withQuery("/jobs/new", { draft }),
  job: (id: number | string) => `/jobs/${id}`,
  /** The actions for a job: publish, renew, mark as filled, duplicate. */
  jobStatus: (id: number | string) => `/jobs/${id}/status`,
  previewJob: (id: number | string) => `/jobs/${id}/preview`,
  privacy: () => "/privacy",
  myData: () => "/privacy/my-data.json",
  deleteAccount: () => "/privacy/delete",
  emailPreferences: () => "/account/notices",
  unsubscribe: (notice: string) => `/unsubscribe?notice=${encodeURIComponent(notice)}`,
  trackingConsent: () => "/privacy/tracking",
  sponsorships: () => "/sponsor",
  /** A page of the user's sponsorships. */
  sponsorshipsPage: (query: { before?: number }) => withQuery("/sponsor", query),
  newSponsorship: () => "/sponsor/new",
  sponsorship: (id: number | string) => `/sponsor/${id}`,
  sponsorshipCalendar: (id: number | string) => `/sponsor/${id}/calendar.ics`,
  /** The offer to feature a listing. @param listing preselected in the form */
  upgrade: (listing?: number) => withQuery("/upgrade", { place: listing }),
  billing: (listing: number | string) => `/listings/${listing}/billing`,
  /** Asks before a plan that isn't paid up ends at once. */
  endPlan: (listing: number | string) => `/listings/${listing}/billing/end`,
  endPlanOfOther: (subscription: string) =>
    `/account/purchases/${encodeURIComponent(subscription)}/end`,
  /** The five queues, with a filter and a page. */
  adminListings: (query: Query = {}) => withQuery("/admin/listings", query),
  adminNew: (query: Query = {}) => withQuery("/admin/new", query),
  adminPending: (query: Query = {}) => withQuery("/admin/pending", query),
  adminFlagged: (query: Query = {}) => withQuery("/admin/flagged", query),
  adminPremium: (query: Query = {}) => withQuery("/admin/premium", query),
  /** The review of one listing. @param filter the queue that it was opened from */
  adminReview: (id: number | string, filter: Query = {}) =>
    withQuery(`/admin/listings/${id}`, filter),
  /** The details of a listing, shown over its queue. */
  adminListingDetails: (id: number | string, filter: Query = {}) =>
    withQuery(`/admin/listings/${id}/details`, filter),
  adminListingsCsv: (filter: Query = {}) => withQuery("/admin/listings.csv", filter),
  adminListingsExport: (filter: Query = {}) => withQuery("/admin/listings/export", filter),
  /** A decision batch: its preview, and then its result. */
  adminDecision: (batch: string, query: Query = {}) =>
    withQuery(`/admin/decisions/${encodeURIComponent(batch)}`, query),
  /** A page of all jobs, with its filter. */
  adminJobs: (query: { state?: string; search?: string; after?: number; before?: number } = {}) =>
    withQuery("/admin/jobs", query),
  /** The money of one month. @param month such as 2026-11 */
  adminPayments: (month?: string) => withQuery("/admin/payments", { month }),
  adminPaymentsCsv: (month?: string) => withQuery("/admin/payments.csv", { month }),
  adminOrder: (id: string) => `/admin/payments/${encodeURIComponent(id)}`,
  endSubscription: (order: string) => `/admin/payments/${encodeURIComponent(order)}/end`,
  adminRetool: () => "/admin/retool",
  adminUsers: (filter: { name?: string; email?: string; after?: string; before?: string } = {}) =>
    withQuery("/admin/users", filter),
  /** The dates of future newsletters. @param query.date shows what is in that newsletter */
  adminNewsletters: (query: { date?: string } = {}) => withQuery("/admin/newsletter-dates", query),
  /** The users of a filter as a download. */
  adminUsersCsv: (filter: { name?: string; email?: string } = {}) =>
    withQuery("/admin/users.csv", filter),
  /** Asks before a download that includes contact details. */
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
  /** Two-step sign-in for all admins. */
  adminTwoStep: () => "/admin/two-step",
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
