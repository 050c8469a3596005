import { json } from "@remix-run/node";

import { getProxyWarning } from "~/http/detect-proxy.server";
import { getLogWarning } from "~/http/log-output.server";
import { routeLoader } from "~/http/route.server";
import { areAddressesLoading } from "~/integrations/addresses/addresses.server";
import { describeUnrecordedEvents } from "~/modules/billing/event-failures.server";
import { describeMigrationGap } from "~/integrations/supabase/migrations.server";
import { checkReadiness, describeRejectedKey } from "~/integrations/supabase/readiness.server";

/**
 * Whether the process can handle requests: 200 when the database answers and accepts our keys and what is
 * loaded at the start is there, 503 otherwise. Only admins learn the reasons; the log has them for those who
 * run the server.
 */
export const loader = routeLoader({ access: "open" }, async ({ session, log }) => {
  const { available, rejectedKeys } = await checkReadiness();
  const loading = areAddressesLoading();
  const ready = available && rejectedKeys.length === 0 && !loading;
  if (rejectedKeys.length > 0) log.error({ variables: rejectedKeys }, "keys are not accepted");
  const result = { status: ready ? "ready" : "not ready" };
  const status = { status: ready ? 200 : 503 };
  if (!session?.user.admin) return json(result, status);
  const warnings = [
    getProxyWarning(),
    getLogWarning(),
    describeUnrecordedEvents(),
    ready ? await describeMigrationGap() : null,
  ];
  const details = [
    ...(available ? [] : ["The database isn’t responding."]),
    ...(loading
      ? ["The address tables are still loading. This takes a few seconds after a start."]
      : []),
    ...rejectedKeys.map((name) => `${describeRejectedKey(name)}.`),
    ...warnings.filter((warning) => warning !== null),
  ];
  return json({ ...result, details }, status);
});
