import { redirect } from "@remix-run/node";

import {
  authenticatorCookie,
  endedCookie,
  expireCookie,
  formCookie,
  handoffCookie,
  invitationCookie,
  recoveryCodesCookie,
  resumeCookie,
  returnCookie,
  sessionCookie,
} from "~/http/cookies.server";
import { redirectWithFlash } from "~/http/flash.server";
import { deleteStash } from "~/http/form-stash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { AuthServiceError, signOut } from "~/integrations/supabase/auth.server";

/** Signing out needs a POST. Opening the URL changes nothing. */
export const loader = routeLoader({ access: "open" }, async () => redirect(paths.home()));

export const action = routeAction(
  { access: "open" },
  async ({ request, session, unfinishedSession, setCookie, log }) => {
    const cookies = [
      sessionCookie(),
      formCookie(),
      handoffCookie(),
      resumeCookie(),
      endedCookie(),
      returnCookie(),
      invitationCookie(),
      authenticatorCookie(),
      recoveryCodesCookie(),
    ];
    for (const cookie of cookies) setCookie(await expireCookie(cookie));
    const stashDeleted = deleteStash(request, null);
    try {
      const tokens = (session ?? unfinishedSession)?.tokens;
      if (tokens) await signOut(tokens, "local");
    } catch (error) {
      if (!(error instanceof AuthServiceError)) throw error;
      // The cookie is removed nonetheless. No one else has the tokens, and they expire.
      log.warn({ failure: error.failure }, "session could not be ended at the auth service");
    }
    await stashDeleted;
    return redirectWithFlash(paths.login(), "You’ve signed out.");
  },
);
