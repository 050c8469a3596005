import { createCookie, type Cookie } from "@remix-run/node";

import { env } from "~/env.server";

const HOUR = 60 * 60;
const DAY = 24 * HOUR;

/**
 * The dashboard's cookies. All are signed, HttpOnly and SameSite=Lax; over https they are also Secure
 * and carry the `__Host-` prefix, which ties them to this very host.
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
      secrets: [env().sessionSecret],
    });
    return cookie;
  };
}

/** The Supabase tokens of the signed-in person. Its age is renewed whenever the tokens are. */
export const sessionCookie = signedCookie("session", 30 * DAY);
/** One message for the next page. */
export const flashCookie = signedCookie("flash", 60);
/** A random id that form tokens are bound to, for browsers that tell no origin. */
export const formCookie = signedCookie("form", undefined);
/** Another account's tokens, waiting for the person to say whether to switch to it. */
export const handoffCookie = signedCookie("handoff", 5 * 60);
/** Whose session ended in this browser, so that their forms can be kept for them. */
export const endedCookie = signedCookie("ended", HOUR);
/** The keys to this browser's kept forms. Their age is that of the rows they open. */
export const resumeCookie = signedCookie("resume", HOUR);

/** Whether this browser's visits may be told to others, while nobody is signed in. */
export const trackingCookie = signedCookie("tracking", 180 * DAY);

/** Where somebody was going who then forgot their password: a path of ours. It stays in their browser, not in the mail. */
export const returnCookie = signedCookie("return", HOUR);

/** The invitation that somebody opened, until they have signed in or signed up for it. */
export const invitationCookie = signedCookie("invitation", DAY);

/** The value of a cookie, or null when it is absent, forged or damaged. */
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
