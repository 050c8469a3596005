import { env, type CaptchaProvider } from "~/env.server";

import { paths } from "./paths";

export const POLICY_HEADER = "Content-Security-Policy";

/**
 * Sets the headers of every response. Referrer-Policy is `same-origin` and not `no-referrer`,
 * because with the latter Chromium sends `Origin: null` with our own forms. Pages are never cached:
 * they contain what could expose someone, and the next user of the device must not find them by
 * "Back".
 */
export function setSecurityHeaders(
  headers: Headers,
  csp = "default-src 'none'; frame-ancestors 'none'",
): void {
  const values: Record<string, string> = {
    [POLICY_HEADER]: csp,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy":
      "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
  };
  if (env().appUrl.startsWith("https:"))
    values["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains";
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}

/**
 * Where our forms may lead: to this site, to the page that "Leave quickly" opens, or to Stripe's
 * checkout and portal (browsers apply form-action to redirects of a form's response as well). The
 * stand-in for Stripe has its own pages.
 */
function getFormTargets(): string {
  const { stripe, quickExitUrl } = env();
  const stripePages = stripe?.apiUrl
    ? [stripe.apiUrl]
    : ["https://checkout.stripe.com", "https://billing.stripe.com"];
  return ["'self'", ...getExitOrigins(quickExitUrl), ...(stripe ? stripePages : [])].join(" ");
}

/** The policy of a failure's own document, which has no script and no form but "Leave quickly". */
export function buildFailurePolicy(): string {
  const exits = getExitOrigins(env().quickExitUrl).join(" ");
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    `form-action 'self' ${exits}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The origin of the page, and its site with and without `www`, to which it may redirect. */
function getExitOrigins(url: string): string[] {
  const { origin, host } = new URL(url);
  const site = host.replace(/^www\./, "");
  return [...new Set([origin, `https://${site}`, `https://*.${site}`])];
}

/**
 * What may be shown in a frame: the team's database tool on its own page, and nothing elsewhere.
 */
function getFrameSources({ pathname, status, showsCaptcha }: AnsweredPage): string {
  const { adminToolUrl } = env();
  if (showsCaptcha) return getCaptchaHosts().join(" ");
  return adminToolUrl && status === 200 && pathname.replace(/\/+$/, "") === paths.adminRetool()
    ? new URL(adminToolUrl).origin
    : "'none'";
}

interface AnsweredPage {
  pathname: string;
  status: number;
  /** The nonce of the page's scripts; null for a page without any. */
  nonce: string | null;
  /** Whether a captcha is on the page. On all others its hosts are blocked. */
  showsCaptcha?: boolean;
}

/** Where the scripts, frames, styles, and calls of a captcha come from, as its provider says. */
const CAPTCHA_HOSTS: Record<CaptchaProvider, readonly string[]> = {
  turnstile: ["https://challenges.cloudflare.com"],
  hcaptcha: ["https://hcaptcha.com", "https://*.hcaptcha.com"],
};

const getCaptchaHosts = () => CAPTCHA_HOSTS[env().captcha?.provider ?? "turnstile"];

/**
 * The Content-Security-Policy of a page: only our own files, and our own scripts by nonce. A page without script may
 * run none, nor send requests by script. Vite's development server needs inline styles and its socket.
 */
export function buildPagePolicy(page: AnsweredPage): string {
  const development = !env().production;
  const captcha = page.showsCaptcha ? ` ${getCaptchaHosts().join(" ")}` : "";
  return [
    "default-src 'none'",
    ...(page.nonce === null
      ? []
      : [
          `script-src 'self' 'nonce-${page.nonce}'${captcha}`,
          `connect-src 'self'${development ? " ws:" : ""}${captcha}`,
        ]),
    `style-src 'self'${development ? " 'unsafe-inline'" : ""}${captcha}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `form-action ${getFormTargets()}`,
    `frame-src ${getFrameSources(page)}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "manifest-src 'self'",
  ].join("; ");
}
