import { redirect } from "@remix-run/node";

import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";

/** The address people land on after signing in and after saving: it leads to their listings. */
export const loader = routeLoader({ access: "signed in" }, async () => redirect(paths.listings()));
