import { redirect } from "@remix-run/node";

import {
  endedCookie,
  expireCookie,
  formCookie,
  handoffCookie,
  invitationCookie,
  resumeCookie,
  returnCookie,
  sessionCookie,
} from "~/http/cookies.server";
import { redirectWithFlash } from "~/http/flash.server";
import { deleteStash } from "~/http/form-stash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { AuthServiceError, signOut } from "~/integrations/supabase/auth.server";

/** Signing out is a form; an address that is only opened changes nothing. */
export const loader = routeLoader({ access: "open" }, async () => redirect(paths.home()));

export const action = routeAction(
  { access: "open" },
  async ({ request, session, setCookie, log }) => {
    const cookies = [
      sessionCookie(),
      formCookie(),
      handoffCookie(),
      resumeCookie(),
      endedCookie(),
      returnCookie(),
      invitationCookie(),
    ];
    for (const cookie of cookies) setCookie(await expireCookie(cookie));
    const forgotten = deleteStash(request, null);
    try {
      if (session) await signOut(session.tokens, "local");
    } catch (error) {
      if (!(error instanceof AuthServiceError)) throw error;
      // The cookie is gone all the same: the tokens were nowhere else, and end by themselves.
      log.warn({ failure: error.failure }, "session could not be ended at the auth service");
    }
    await forgotten;
    return redirectWithFlash(paths.login(), "You’ve signed out.");
  },
);
