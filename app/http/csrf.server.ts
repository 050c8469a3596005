import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import { env } from "~/env.server";

import { formCookie, readCookie } from "./cookies.server";
import { ORIGIN_HEADER } from "./internal-headers.server";

/** Name of the hidden field that carries the form token. */
export const FORM_TOKEN_FIELD = "csrf";

function computeToken(id: string): string {
  return createHmac("sha256", env().sessionSecret).update(`form:${id}`).digest("base64url");
}

/**
 * The token for the forms of this browser. `setCookie` is the Set-Cookie value that the token is
 * bound to, when the browser doesn't have that cookie yet.
 */
export async function getFormToken(
  request: Request,
): Promise<{ token: string; setCookie: string | null }> {
  const known = await readCookie(formCookie(), request);
  if (typeof known === "string" && known) return { token: computeToken(known), setCookie: null };
  const id = randomBytes(16).toString("base64url");
  return { token: computeToken(id), setCookie: await formCookie().serialize(id) };
}

/**
 * Which site a form was sent from. The first of these headers that the browser sent decides:
 * `Sec-Fetch-Site`, `Origin`, `Referer`. Origins are compared with the configured address only.
 * "unknown" when there is no such header, as with text browsers such as w3m.
 */
export function detectFormSender(request: Request): "our page" | "another site" | "unknown" {
  const { headers } = request;
  const senderIf = (ours: boolean) => (ours ? "our page" : "another site");
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin" && site !== "none") return "another site";

  const origin = headers.get(ORIGIN_HEADER) ?? headers.get("Origin");
  if (site === "same-origin") return senderIf(origin !== "null");
  if (origin !== null) return senderIf(origin === env().appUrl);

  const referer = headers.get("Referer");
  if (referer) return senderIf(URL.canParse(referer) && new URL(referer).origin === env().appUrl);
  return "unknown";
}

/** Whether a form has the signed token that was issued to this browser. */
export async function hasValidFormToken(request: Request, form: FormData): Promise<boolean> {
  const id = await readCookie(formCookie(), request);
  const token = form.get(FORM_TOKEN_FIELD);
  if (typeof id !== "string" || !id || typeof token !== "string") return false;
  const expected = Buffer.from(computeToken(id));
  const actual = Buffer.from(token);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
