import { env } from "~/env.server";

/**
 * Headers for every response. Referrer-Policy is `same-origin` and not `no-referrer`, because with the
 * latter Chromium sends `Origin: null` with our own forms. Pages are never stored: they hold what
 * could expose a person, and the next one at the machine must not find them by "Back".
 */
export function setSecurityHeaders(headers: Headers, csp = "default-src 'none'; frame-ancestors 'none'"): void {
  const values: Record<string, string> = {
    "Content-Security-Policy": csp,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  };
  if (env().appUrl.startsWith("https:")) values["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains";
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}

/**
 * The Content-Security-Policy of a page: nothing but our own files, and our own scripts by nonce.
 * Vite's development server needs inline styles and its socket.
 */
export function pagePolicy(nonce: string): string {
  const development = !env().production;
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    development ? "style-src 'self' 'unsafe-inline'" : "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    development ? "connect-src 'self' ws:" : "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "manifest-src 'self'",
  ].join("; ");
}
