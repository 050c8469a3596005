/** Every address of the dashboard, so that a link to a page that is not there does not compile. */
export const paths = {
  home: () => "/",
  login: (redirectTo?: string) => (redirectTo ? `/login?redirectTo=${encodeURIComponent(redirectTo)}` : "/login"),
  logout: () => "/logout",
  signup: () => "/signup",
  confirm: () => "/confirm",
  recovery: () => "/recovery",
  newPassword: () => "/recovery/new",
  switchAccount: () => "/switch-account",
  resume: (form?: string) => (form ? `/resume?form=${form}` : "/resume"),
  account: () => "/account",
  listings: () => "/listings",
  /** A page of the dashboard: what is searched for, and the listing that the page begins after or ends before. */
  listingsPage: (query: { search?: string; after?: number; before?: number }) => {
    const params = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])));
    return params.size > 0 ? `/listings?${params}` : "/listings";
  },
  newListing: (draft?: string) => (draft === undefined ? "/listings/new" : `/listings/new?draft=${encodeURIComponent(draft)}`),
  listing: (id: number | string) => `/listings/${id}`,
  addresses: () => "/addresses",
  listingVisibility: (id: number | string) => `/listings/${id}/visibility`,
  archiveListing: (id: number | string) => `/listings/${id}/archive`,
  discardDraft: (id: string) => `/listings/drafts/${encodeURIComponent(id)}/discard`,
  admin: () => "/admin",
  adminNew: () => "/admin/new",
  adminPending: () => "/admin/pending",
} as const;
