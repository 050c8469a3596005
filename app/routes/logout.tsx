import { redirect } from "@remix-run/node";

import { expire, formCookie, handoffCookie, sessionCookie } from "~/http/cookies.server";
import { redirectWithFlash } from "~/http/flash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { AuthRefusal, signOut } from "~/integrations/supabase/auth.server";

/** Signing out is a form; an address that is only opened changes nothing. */
export const loader = routeLoader({ access: "open" }, async () => redirect(paths.home()));

export const action = routeAction({ access: "open" }, async ({ session, setCookie, log }) => {
  for (const cookie of [sessionCookie(), formCookie(), handoffCookie()]) setCookie(await expire(cookie));
  try {
    if (session) await signOut(session.tokens, "local");
  } catch (error) {
    if (!(error instanceof AuthRefusal)) throw error;
    // The cookie is gone all the same: the tokens were nowhere else, and end by themselves.
    log.warn({ failure: error.failure }, "session could not be ended at the auth service");
  }
  return redirectWithFlash(paths.login(), "You’ve signed out.");
});
