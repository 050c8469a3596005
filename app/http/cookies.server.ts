import { createHmac } from "node:crypto";

import { createCookie, type Cookie } from "@remix-run/node";

import { env } from "~/env.server";

const HOUR = 60 * 60;
const DAY = 24 * HOUR;

/**
 * Defines a cookie. All of them are signed, HttpOnly, and SameSite=Lax. Over https they are also
 * Secure and have the `__Host-` prefix, which binds them to this host. Each has a key of its own, so
 * that the value of one is never valid as that of another.
 */
function signedCookie(name: string, maxAge: number | undefined): () => Cookie {
  let cookie: Cookie | undefined;
  return () => {
    const secure = env().appUrl.startsWith("https:");
    cookie ??= createCookie(secure ? `__Host-${name}` : name, {
      path: "/",
      httpOnly: true,
      sameSite: "lax",
      secure,
      maxAge,
      secrets: env().sessionSecrets.map((secret) => keyOf(name, secret)),
    });
    return cookie;
  };
}

/** The key that signs the cookie of this name. */
const keyOf = (name: string, secret: string) =>
  createHmac("sha256", secret).update(`cookie ${name}`).digest("base64url");

/** The Supabase tokens of the signed-in user. Its age is renewed with the tokens. */
export const sessionCookie = signedCookie("session", 30 * DAY);
/** The flash message for the next page. */
export const flashCookie = signedCookie("flash", 60);
/** A random id that form tokens are bound to, for browsers that send no origin. */
export const formCookie = signedCookie("form", undefined);
/** The tokens of an account that a link signs in to, until the user accepts it. */
export const handoffCookie = signedCookie("handoff", 5 * 60);
/** The emailed link whose page is open, until it is used. */
export const linkCookie = signedCookie("link", 15 * 60);
/** The id of the user whose session ended in this browser, so that their forms can be stashed. */
export const endedCookie = signedCookie("ended", HOUR);
/** The keys to this browser's stashed forms. They live as long as the rows that they decrypt. */
export const resumeCookie = signedCookie("resume", HOUR);

/** The authenticator app that is being added, with its secret. */
export const authenticatorCookie = signedCookie("authenticator", 10 * 60);
/** New recovery codes, for the next page. */
export const recoveryCodesCookie = signedCookie("recovery-codes", 60);

/** Consent to tracking this browser's visits, while no one is signed in. */
export const trackingCookie = signedCookie("tracking", 180 * DAY);

/** Whether this browser gets the light version or the full one. */
export const lightVersionCookie = signedCookie("version", 365 * DAY);

/**
 * The path that someone wanted to open before they asked for a new password. It is stored in the
 * browser, so that the email doesn't contain it.
 */
export const returnCookie = signedCookie("return", HOUR);

/** The id of the user who has just set a new password in this browser, for the page that says so. */
export const newPasswordCookie = signedCookie("new-password", HOUR);

/** When this browser was first asked for a captcha, for people whose browser can't show one. */
export const captchaCookie = signedCookie("captcha", 2 * HOUR);

/** Proof that this browser filled in a sign-up form, for when the address is confirmed. */
export const signUpCookie = signedCookie("sign-up", DAY);

/** The invitation that someone opened, until they have signed in or signed up. */
export const invitationCookie = signedCookie("invitation", DAY);

/** The value of a cookie, or null when it is absent, forged, or damaged. */
export async function readCookie(cookie: Cookie, request: Request): Promise<unknown> {
  try {
    return await cookie.parse(request.headers.get("Cookie"));
  } catch {
    return null;
  }
}

/** A Set-Cookie value that removes the cookie. */
export function expireCookie(cookie: Cookie): Promise<string> {
  return cookie.serialize("", { maxAge: 0, expires: new Date(0) });
}
