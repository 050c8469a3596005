import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import { env } from "~/env.server";

import { formCookie, readCookie } from "./cookies.server";
import { ORIGIN_HEADER } from "./internal-headers.server";
import { readSessionOwner } from "./session.server";

/** Name of the hidden field that carries the form token. */
export const FORM_TOKEN_FIELD = "csrf";

/**
 * A token has two parts. The first belongs to the browser, and proves that the form is one of ours. The second
 * belongs to the account that the page was made for, in any of its sessions; without an account, to the browser.
 */
const BROWSER_PART = 22;

const sign = (text: string, secret: string) =>
  createHmac("sha256", secret).update(text).digest("base64url");

const signBrowser = (id: string, secret = env().sessionSecret) => sign(`form:${id}`, secret);
const signAccount = (account: string, secret = env().sessionSecret) =>
  sign(`form of account:${account}`, secret).slice(BROWSER_PART);

/**
 * What ended all sessions in a browser and closed its forms. From then on, the id of the browser
 * begins with this mark. The browser remembers the forms that it sent, and sends one again after
 * Back and reload, even for the next person: the form would be shown, or sign that person in.
 */
const MARKS = { "left quickly": "~", "signed out": "!" } as const;
export type Closing = keyof typeof MARKS;

const newBrowserId = () => randomBytes(16).toString("base64url");

/**
 * The Set-Cookie value that closes all forms that were open in this browser: they are accepted only
 * while their account is signed in.
 */
export const closeOpenForms = (by: Closing): Promise<string> =>
  formCookie().serialize(MARKS[by] + newBrowserId());

const toBrowserPart = (token: string) => token.slice(0, BROWSER_PART);
const toAccountPart = (token: string) => token.slice(BROWSER_PART);

/** The token that a form was sent with; null without one. */
function readToken(form: FormData | undefined): string | null {
  const token = form?.get(FORM_TOKEN_FIELD);
  return typeof token === "string" && token !== "" ? token : null;
}

/**
 * Whether a form was sent before its end had arrived, as with Enter while the page was loading: its first field is
 * there (PostForm's, which has a part of the token in its name), and the token, which is its last, isn't. What is
 * missing would count as emptied.
 */
export const isCutOff = (form: FormData): boolean =>
  readToken(form) === null && /^t[\w-]{8}-?\d*$/.test(form.keys().next().value ?? "");

async function readBrowserId(request: Request): Promise<string | null> {
  const id = await readCookie(formCookie(), request);
  return typeof id === "string" && id !== "" ? id : null;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * The token for the forms of a page, for this browser and the account whose session it has. `setCookie` is the
 * Set-Cookie value that the token is bound to, when the browser doesn't have that cookie yet.
 * @param posted the form that the page offers to send again: it still belongs to its account
 */
export async function getFormToken(
  request: Request,
  posted?: FormData,
): Promise<{ token: string; setCookie: string | null }> {
  const known = await readBrowserId(request);
  const id = known ?? newBrowserId();
  const own = signBrowser(id);
  const [earlier, account] = [readToken(posted), await readSessionOwner(request)];
  let accountPart = toAccountPart(own);
  if (earlier !== null) accountPart = toAccountPart(earlier);
  else if (account !== null) accountPart = signAccount(account);
  return {
    token: toBrowserPart(own) + accountPart,
    setCookie: known === null ? await formCookie().serialize(id) : null,
  };
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

/** Whether a form has a signed token that was issued to this browser. */
export async function hasValidFormToken(request: Request, form: FormData): Promise<boolean> {
  const id = await readBrowserId(request);
  const token = readToken(form);
  if (id === null || token === null) return false;
  return env().sessionSecrets.some((secret) => {
    const own = signBrowser(id, secret);
    return token.length === own.length && isSame(toBrowserPart(token), toBrowserPart(own));
  });
}

/**
 * Whether a form was opened in another account, or, by someone who wasn't signed in, before this
 * browser's user last signed out. False for a form without a token.
 * @param account the id of the user whose session this browser has or had last
 */
export async function isFormOfAnother(
  request: Request,
  form: FormData,
  account: string,
): Promise<boolean> {
  const token = readToken(form);
  if (token === null) return false;
  const { sessionSecrets } = env();
  if (sessionSecrets.some((secret) => isSame(toAccountPart(token), signAccount(account, secret))))
    return false;
  const id = await readBrowserId(request);
  return id === null || !sessionSecrets.some((secret) => isSame(token, signBrowser(id, secret)));
}

/**
 * What closed a form, in a browser in which no one is signed in now. Null for a form that is open, and for one without
 * a token.
 */
export async function findClosing(request: Request, form: FormData): Promise<Closing | null> {
  const id = await readBrowserId(request);
  if (id === null || readToken(form) === null || (await hasValidFormToken(request, form)))
    return null;
  const marks = Object.entries(MARKS) as [Closing, string][];
  return marks.find(([, mark]) => id.startsWith(mark))?.[0] ?? null;
}

/** The part of a form's token that belongs to its account; null without a token. */
export function readFormAccount(form: FormData): string | null {
  const token = readToken(form);
  return token === null ? null : toAccountPart(token);
}

/** That part of an account's forms: with the current secret first, and with each earlier one. */
export const signFormAccount = (account: string): [string, ...string[]] => {
  const { sessionSecret, sessionSecrets } = env();
  const earlier = sessionSecrets.filter((secret) => secret !== sessionSecret);
  return [signAccount(account), ...earlier.map((secret) => signAccount(account, secret))];
};
