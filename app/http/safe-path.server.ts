import { safeRedirect } from "remix-utils/safe-redirect";

import { SECRET_PARAMS } from "./prepare-request.server";

const BASE = "http://dashboard.invalid";

/** It is stored in cookies, of which browsers drop long ones. */
const MAX_LENGTH = 2_000;

/** What the address of a file has in addition to that of the page that offers it. */
const FILE_OF_PAGE = /\.csv$|\/[\w-]+\.(?:ics|json|svg)$|\/[^/]+\/receipt$/;

/**
 * The path to go to after signing in, from an untrusted value. It is always a path of this site:
 * another host, a scheme, a backslash, a control character, or a very long text results in `/`. Tokens are removed. A
 * file results in the page that offers it, because after a download the sign-in form would still be
 * on the screen.
 */
export function toSafePath(value: FormDataEntryValue | null | undefined): string {
  if (typeof value === "string" && value.length > MAX_LENGTH) return "/";
  const path = safeRedirect(value, "/");
  if (/[\p{Cc}\s\\]/u.test(path) || !URL.canParse(path, BASE)) return "/";
  const url = new URL(path, BASE);
  if (url.origin !== BASE || url.pathname.startsWith("//")) return "/";
  for (const secret of SECRET_PARAMS)
    if (url.searchParams.has(secret)) url.searchParams.delete(secret);
  // Removing a token serializes the query again, which may decode characters in it.
  const safe = safeRedirect(`${url.pathname.replace(FILE_OF_PAGE, "")}${url.search}`, "/");
  // What is not ASCII has become longer.
  return safe.length > MAX_LENGTH ? "/" : safe;
}

/** The path of this site that a page was opened from and returns to, as its URL says it; undefined without one. */
export function readBack(url: URL): string | undefined {
  const back = url.searchParams.get("back");
  return back ? toSafePath(back) : undefined;
}
