import { redirect } from "@remix-run/node";

import { closeOpenForms } from "~/http/csrf.server";
import { endSessionAfterResponse, expireUserCookies } from "~/http/end-session.server";
import { redirectWithFlash } from "~/http/flash.server";
import { deleteStash } from "~/http/form-stash.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { AuthServiceError, signOut } from "~/integrations/supabase/auth.server";

/** Signing out needs a POST. Opening the URL changes nothing. */
export const loader = routeLoader({ access: "open" }, async () => redirect(paths.home()));

export const action = routeAction(
  { access: "open", anyAccount: true, page: false },
  async ({ request, session, unfinishedSession, sessionState, setCookie, log }) => {
    for (const cookie of await expireUserCookies()) setCookie(cookie);
    setCookie(await closeOpenForms("signed out"));
    const stashDeleted = deleteStash(request, null);
    try {
      const tokens = (session ?? unfinishedSession)?.tokens;
      if (tokens) await signOut(tokens, "local");
      // Supabase did not say who this is; the session must end nonetheless.
      if (sessionState === "unknown") await endSessionAfterResponse(request, log);
    } catch (error) {
      if (!(error instanceof AuthServiceError)) throw error;
      await endSessionAfterResponse(request, log);
    }
    await stashDeleted;
    return redirectWithFlash(paths.login(), "You’ve signed out.");
  },
);
