import { redirect } from "@remix-run/node";

import { redirectWithFlash } from "~/http/flash.server";
import { serializeVersion } from "~/http/light-version.server";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { toSafePath } from "~/http/safe-path.server";

/** Choosing needs a POST. Opening the URL changes nothing. */
export const loader = routeLoader({ access: "open" }, async () => redirect(paths.home()));

/** Switches this browser to the light version or to the full one, also while no one is signed in. */
export const action = routeAction({ access: "open", page: false }, async ({ form, setCookie }) => {
  const light = form.get("version") === "light";
  setCookie(await serializeVersion(light));
  return redirectWithFlash(
    toSafePath(form.get("return_to")),
    light
      ? "You’re using the light version. It needs less data, but it doesn’t save drafts while you type, and hitting Escape three times doesn’t leave the page. Use “Leave quickly” instead."
      : "You’re using the full version.",
  );
});
