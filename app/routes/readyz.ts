import { json } from "@remix-run/node";

import { routeLoader } from "~/http/route.server";
import { isDatabaseReady } from "~/integrations/supabase/readiness.server";

/** The process can handle requests: 200 when the database answers, 503 when it does not. */
export const loader = routeLoader({ access: "open" }, async () =>
  (await isDatabaseReady())
    ? json({ status: "ready" })
    : json({ status: "database unavailable" }, { status: 503 }),
);
