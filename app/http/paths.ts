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
  account: () => "/account",
  listings: () => "/listings",
  newListing: () => "/listings/new",
  listing: (id: number | string) => `/listings/${id}`,
  addresses: () => "/addresses",
  admin: () => "/admin",
  adminNew: () => "/admin/new",
  adminPending: () => "/admin/pending",
} as const;
