import { json } from "@remix-run/node";

import { routeLoader } from "~/http/route.server";

/** The process is running. Calls no other service. */
export const loader = routeLoader({ access: "open" }, async () => json({ status: "ok" }));
