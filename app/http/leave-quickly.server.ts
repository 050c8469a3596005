import { redirect } from "@remix-run/node";

import { expireCookie, flashCookie, readCookie } from "./cookies.server";
import { closeOpenForms } from "./csrf.server";
import { endSessionAfterResponse, expireUserCookies, userCookies } from "./end-session.server";
import { log } from "./log.server";
import { paths } from "./paths";

/**
 * The browser notes that someone left (early-script.tsx), and the answer takes it back. It isn't signed, since a script
 * sets it. Forging it only signs a user out, as forging the form would.
 */
const NOTE = /(?:^|;\s*)left=/;
const EXPIRED_NOTE = "left=; Path=/; Max-Age=0";

/**
 * Removes the user from this browser, ends the session after the response, and closes the forms that the browser sent
 * before.
 * @returns the Set-Cookie values to answer with
 */
export async function leaveQuickly(request: Request): Promise<string[]> {
  await endSessionAfterResponse(request, log());
  return [
    ...(await expireUserCookies()),
    await expireCookie(flashCookie()),
    await closeOpenForms("left quickly"),
    EXPIRED_NOTE,
  ];
}

/**
 * Someone left quickly, and no answer of ours came: the connection had dropped, or a proxy answered while the app
 * restarted. The next request of that browser ends the session first, and shows nothing of its user.
 * @param cookies gets the Set-Cookie values to answer with
 * @throws a redirect to the same page, which is requested without a user then
 */
export async function finishLeaving(request: Request, cookies: string[]): Promise<void> {
  const url = new URL(request.url);
  if (!NOTE.test(request.headers.get("Cookie") ?? "") || url.pathname === "/leave") return;
  const values = await Promise.all(userCookies().map((cookie) => readCookie(cookie, request)));
  if (!values.some(Boolean)) {
    cookies.push(EXPIRED_NOTE);
    return;
  }
  cookies.push(...(await leaveQuickly(request)));
  const target = request.method === "GET" ? `${url.pathname}${url.search}` : paths.login();
  // Script must not keep the document, which holds the user's pages in its data.
  throw redirect(target, { status: 303, headers: { "X-Remix-Reload-Document": "true" } });
}
