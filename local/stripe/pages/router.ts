import type { Account } from "../account";
import { checkoutPage, submitCheckout } from "./checkout-page";
import { eventPage, eventsPage, submitEvents } from "./events-page";
import { invoicePage, receiptPage, submitInvoice } from "./receipt-and-invoice-pages";
import { paymentsPage, submitPayments } from "./payments-page";
import { portalPage, submitPortal } from "./portal-page";

interface PageRequest {
  account: Account;
  /** Origin of the app, for links back to it. */
  appUrl: string | null;
  method: string;
  url: URL;
  headers: Headers;
  form: URLSearchParams;
  /** Resolves when the webhooks are delivered, or when that takes too long. */
  deliverWebhooks: () => Promise<void>;
}

interface Page {
  path: RegExp;
  get?: (request: PageRequest, id: string, step: string) => Response;
  post?: (request: PageRequest, id: string, step: string) => Promise<Response>;
}

const PAGES: Page[] = [
  {
    path: /^\/c\/pay\/(\w+)(?:\/authenticate)?$/,
    get: ({ account }, id) => checkoutPage(account, id),
  },
  {
    path: /^\/c\/pay\/(\w+)\/(pay|promotion-code|authenticate)$/,
    post: ({ account, form, deliverWebhooks }, id, step) =>
      submitCheckout(account, { id, step, form }, deliverWebhooks),
  },
  {
    path: /^\/p\/session\/(\w+)$/,
    get: ({ account, url }, id) => portalPage(account, id, url.searchParams),
  },
  {
    path: /^\/p\/session\/(\w+)\/(cancel|resume|change-plan|change-card|renew|fail|fix)$/,
    post: ({ account, url, form, deliverWebhooks }, id, step) =>
      submitPortal(account, { id, step, query: url.searchParams, form }, deliverWebhooks),
  },
  { path: /^\/receipts\/(\w+)$/, get: ({ account }, id) => receiptPage(account, id) },
  { path: /^\/i\/(\w+)$/, get: ({ account }, id) => invoicePage(account, id) },
  {
    path: /^\/i\/(\w+)\/pay$/,
    post: ({ account, deliverWebhooks }, id) => submitInvoice(account, id, deliverWebhooks),
  },
  { path: /^\/payments$/, get: ({ account, appUrl }) => paymentsPage(account, appUrl) },
  {
    path: /^\/payments\/(\w+)\/(refund|dispute|won|lost)$/,
    post: ({ account, form, appUrl, deliverWebhooks }, id, step) =>
      submitPayments(account, { id, step, form, appUrl }, deliverWebhooks),
  },
  {
    path: /^\/events$/,
    get: ({ account, appUrl, url }) => eventsPage(account, appUrl, url.searchParams),
  },
  {
    path: /^\/events\/(evt_\w+)$/,
    get: ({ account, appUrl }, id) => eventPage(account, appUrl, id),
  },
  {
    path: /^\/events\/(hold|release|clock|retries|send)$/,
    post: ({ account, form, deliverWebhooks }, step) =>
      submitEvents(account, { step, form }, deliverWebhooks),
  },
];

/** Answers a request to one of the pages; undefined for any other URL. */
export async function answerPage(request: PageRequest): Promise<Response | undefined> {
  const { pathname } = request.url;
  const matching = PAGES.filter(({ path }) => path.test(pathname));
  if (matching.length === 0) return undefined;
  const method = request.method === "POST" ? "post" : "get";
  const found = matching.find((one) => one[method] !== undefined);
  const [, id = "", step = ""] = found?.path.exec(pathname) ?? [];
  if (!found || !["GET", "HEAD", "POST"].includes(request.method)) {
    const allowed = matching
      .flatMap((one) => [one.get && "GET", one.post && "POST"])
      .filter(Boolean)
      .join(", ");
    return new Response("This address doesn’t accept that request.", {
      status: 405,
      headers: { Allow: allowed },
    });
  }
  if (method === "post" && isCrossSite(request))
    return new Response("This form didn’t come from this page.", { status: 403 });
  return found[method]!(request, id, step);
}

/** Whether a page of another site sent the form. */
function isCrossSite({ headers, url }: PageRequest): boolean {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  return (
    (origin !== null && origin !== url.origin) ||
    (site !== null && site !== "same-origin" && site !== "none")
  );
}
