import { redirect } from "@remix-run/node";

import { readCookie, returnCookie } from "~/http/cookies.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import type { RouteContext } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";
import { beganWithRecovery } from "~/http/session.server";

import { forgetLink } from "./emailed-link.server";

const USED_LINK = "That link has expired or was already used. Request a new one.";

const NO_LINK =
  "Request a link to set a new password. The link works once, and you have 15 minutes after you open it.";

/** The path that the user wanted to open before recovery, from this browser's cookie. */
export async function readReturnPath(request: Request): Promise<string> {
  const path = await readCookie(returnCookie(), request);
  return toSafePath(typeof path === "string" ? path : null);
}

/** Without a session: they never opened a link here, or the time to choose a password is over, or the second step is due. */
export async function redirectToSignIn({ request, sessionState }: RouteContext<"open">) {
  if (sessionState === "none" && (await beganWithRecovery(request)))
    return redirectToRecovery(request, NO_LINK);
  return redirect(paths.login(paths.newPassword()));
}

/** The response to a link that works no longer. */
export async function usedLink({ request, setCookie }: RouteContext<"open">) {
  setCookie(await forgetLink());
  return redirectToRecovery(request, USED_LINK);
}

async function redirectToRecovery(request: Request, text: string) {
  return redirectWithFlash(paths.recovery(await readReturnPath(request)), { tone: "info", text });
}

/** The response to someone whose session did not begin with a link. */
export const requireLink = (request: Request) => redirectToRecovery(request, NO_LINK);
