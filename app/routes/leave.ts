import { redirect } from "@remix-run/node";

import { env } from "~/env.server";
import { leaveQuickly } from "~/http/leave-quickly.server";
import { paths } from "~/http/paths";
import { exitAction, routeLoader } from "~/http/route.server";

/** Leaving needs a POST. Opening the URL changes nothing. */
export const loader = routeLoader({ access: "open" }, async () => redirect(paths.home()));

/**
 * "Leave quickly": one response that removes the session from this browser and opens a harmless
 * page. It waits for no other service; the session ends at the auth service afterward. Forms that this browser sent before
 * are not accepted again.
 */
export const action = exitAction(async ({ request, setCookie }) => {
  for (const cookie of await leaveQuickly(request)) setCookie(cookie);
  return redirect(env().quickExitUrl, { status: 303 });
});
