import type { Account } from "../account";
import { answerCheckout, checkoutPage } from "./checkout-page";
import { answerEvents, eventPage, eventsPage } from "./events-page";
import { invoicePage, payInvoice, receiptPage } from "./paper-pages";
import { answerPayments, paymentsPage } from "./payments-page";
import { answerPortal, portalPage } from "./portal-page";

export interface PageRequest {
  account: Account;
  /** Origin of the app, for links back to it. */
  appUrl: string | null;
  method: string;
  url: URL;
  headers: Headers;
  form: URLSearchParams;
  /** Resolves when the webhooks are delivered, or when that takes too long. */
  settled: () => Promise<void>;
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
    post: ({ account, form, settled }, id, step) =>
      answerCheckout(account, { id, step, form }, settled),
  },
  {
    path: /^\/p\/session\/(\w+)$/,
    get: ({ account, url }, id) => portalPage(account, id, url.searchParams),
  },
  {
    path: /^\/p\/session\/(\w+)\/(cancel|resume|change-plan|change-card|renew|fail|mend)$/,
    post: ({ account, url, form, settled }, id, step) =>
      answerPortal(account, { id, step, query: url.searchParams, form }, settled),
  },
  { path: /^\/receipts\/(\w+)$/, get: ({ account }, id) => receiptPage(account, id) },
  { path: /^\/i\/(\w+)$/, get: ({ account }, id) => invoicePage(account, id) },
  {
    path: /^\/i\/(\w+)\/pay$/,
    post: ({ account, settled }, id) => payInvoice(account, id, settled),
  },
  { path: /^\/payments$/, get: ({ account, appUrl }) => paymentsPage(account, appUrl) },
  {
    path: /^\/payments\/(\w+)\/(refund|dispute|won|lost)$/,
    post: ({ account, form, appUrl, settled }, id, step) =>
      answerPayments(account, { id, step, form, appUrl }, settled),
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
    post: ({ account, form, settled }, step) => answerEvents(account, { step, form }, settled),
  },
];

/** Answers one of the pages; undefined when there is none at this address. */
export async function answerPage(request: PageRequest): Promise<Response | undefined> {
  const { pathname } = request.url;
  const here = PAGES.filter(({ path }) => path.test(pathname));
  if (here.length === 0) return undefined;
  const method = request.method === "POST" ? "post" : "get";
  const found = here.find((one) => one[method] !== undefined);
  const [, id = "", step = ""] = found?.path.exec(pathname) ?? [];
  if (!found || !["GET", "HEAD", "POST"].includes(request.method)) {
    const allowed = here
      .flatMap((one) => [one.get && "GET", one.post && "POST"])
      .filter(Boolean)
      .join(", ");
    return new Response("This address is not asked this way.", {
      status: 405,
      headers: { Allow: allowed },
    });
  }
  if (method === "post" && isForeign(request))
    return new Response("This form did not come from this page.", { status: 403 });
  return found[method]!(request, id, step);
}

/** Whether a form was sent by a page of another site, which could spend somebody's pretended money. */
function isForeign({ headers, url }: PageRequest): boolean {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  return (
    (origin !== null && origin !== url.origin) ||
    (site !== null && site !== "same-origin" && site !== "none")
  );
}
