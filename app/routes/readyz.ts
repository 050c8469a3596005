import { json } from "@remix-run/node";

import { env } from "~/env.server";
import { getProxyWarning } from "~/http/detect-proxy.server";
import { getLogWarning } from "~/http/log-output.server";
import { routeLoader } from "~/http/route.server";
import { watchReadiness } from "~/http/watch-readiness.server";
import { areAddressesLoading } from "~/integrations/addresses/addresses.server";
import {
  describeMissedRun,
  findMissedRuns,
  listScheduled,
} from "~/integrations/supabase/scheduled-runs.server";
import { describeUnrecordedEvents } from "~/modules/billing/event-failures.server";
import { describeRejectedMessages } from "~/modules/billing/rejected-messages.server";

/**
 * Whether the process can handle requests: 200 when the database answers, accepts our keys, and has the migrations of
 * this code, and what is loaded at the start is there; 503 otherwise. Only admins learn the reasons. The log has
 * them too, each time they change, since an outage can hide who is an admin.
 */
export const loader = routeLoader(
  { access: "open", meanwhile: watchReadiness },
  async ({ session, meanwhile }) => {
    const { available, rejectedKeys, reasons, gap } = await meanwhile;
    const loading = areAddressesLoading();
    const ready = available && rejectedKeys.length === 0 && !loading;
    const result = { status: ready ? "ready" : "not ready" };
    const status = { status: ready ? 200 : 503 };
    if (!session?.user.admin) return json(result, status);
    const missed = available ? await findMissedRuns(listScheduled(env())) : [];
    const warnings = [
      getProxyWarning(),
      getLogWarning(),
      describeUnrecordedEvents(),
      ...describeRejectedMessages(),
      ...missed.map(describeMissedRun),
      gap?.text ?? null,
    ];
    const details = [
      ...(loading
        ? ["The address tables are still loading. This takes a few seconds after a start."]
        : []),
      ...reasons,
      ...warnings.filter((text) => text !== null && !reasons.includes(text)),
    ];
    return json({ ...result, details }, status);
  },
);
