import { safeRedirect } from "remix-utils/safe-redirect";

import { SECRET_PARAMS } from "./prepare-request.server";

const BASE = "http://dashboard.invalid";

/**
 * The path to go to after signing in, from an untrusted value: only a path of this site.
 * Another host, a scheme, a backslash or a control character gives `/`; a token is left out.
 */
export function toSafePath(value: FormDataEntryValue | null | undefined): string {
  const path = safeRedirect(value, "/");
  if (/[\p{Cc}\s\\]/u.test(path) || !URL.canParse(path, BASE)) return "/";
  const url = new URL(path, BASE);
  if (url.origin !== BASE || url.pathname.startsWith("//")) return "/";
  for (const secret of SECRET_PARAMS)
    if (url.searchParams.has(secret)) url.searchParams.delete(secret);
  // Written anew without its secrets, a query may spell out what was encoded in it.
  return safeRedirect(`${url.pathname}${url.search}`, "/");
}
