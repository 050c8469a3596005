import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import { env } from "~/env.server";

import { formCookie, readCookie } from "./cookies.server";
import { ORIGIN_HEADER } from "./inner-headers.server";

/** Name of the hidden field that carries the form token. */
export const FORM_TOKEN_FIELD = "csrf";

function tokenFor(id: string): string {
  return createHmac("sha256", env().sessionSecret).update(`form:${id}`).digest("base64url");
}

/**
 * The token that forms of this browser carry, and the cookie it is bound to when there is none yet.
 */
export async function getFormToken(
  request: Request,
): Promise<{ token: string; setCookie: string | null }> {
  const known = await readCookie(formCookie(), request);
  if (typeof known === "string" && known) return { token: tokenFor(known), setCookie: null };
  const id = randomBytes(16).toString("base64url");
  return { token: tokenFor(id), setCookie: await formCookie().serialize(id) };
}

/**
 * What the browser tells about the page that a form was sent from. Asked in this order, the first that
 * is told decides: `Sec-Fetch-Site`, `Origin`, `Referer`. Origins are compared with the configured
 * address alone. "nothing" is what text browsers such as w3m tell.
 */
export function detectFormSender(request: Request): "our page" | "another site" | "nothing" {
  const { headers } = request;
  const judge = (ours: boolean) => (ours ? "our page" : "another site");
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin" && site !== "none") return "another site";

  const origin = headers.get(ORIGIN_HEADER) ?? headers.get("Origin");
  if (site === "same-origin") return judge(origin !== "null");
  if (origin !== null) return judge(origin === env().appUrl);

  const referer = headers.get("Referer");
  if (referer) return judge(URL.canParse(referer) && new URL(referer).origin === env().appUrl);
  return "nothing";
}

/** Whether a form carries the signed token that was given to this very browser. */
export async function hasValidFormToken(request: Request, form: FormData): Promise<boolean> {
  const id = await readCookie(formCookie(), request);
  const given = form.get(FORM_TOKEN_FIELD);
  if (typeof id !== "string" || !id || typeof given !== "string") return false;
  const expected = Buffer.from(tokenFor(id));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
