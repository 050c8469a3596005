import { json } from "@remix-run/node";

import { routeLoader } from "~/http/route.server";

/** The process lives. Asks nobody. */
export const loader = routeLoader({ access: "open" }, async () => json({ status: "ok" }));
