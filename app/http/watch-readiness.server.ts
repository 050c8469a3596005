import { checkReadiness, describeRejectedKey } from "~/integrations/supabase/readiness.server";

import { explainDataError } from "./explain-data-error.server";
import { log } from "./log.server";

/** The reasons that were logged last; empty while the database was ready. */
let logged = "";

/**
 * Checks whether the database is ready, and logs the reasons when they change: /readyz shows them
 * only to admins, and in an outage no one is known to be an admin. @returns also the reasons, in
 * sentences for the people who run the dashboard
 */
export async function watchReadiness() {
  const readiness = await checkReadiness();
  const { rejectedKeys, failures, gap } = readiness;
  const reasons = [
    ...rejectedKeys.map((name) => `${describeRejectedKey(name)}.`),
    ...new Set(failures.map(({ key, error }) => explainDataError(error, key))),
    ...(gap?.blocks ? [gap.text] : []),
  ];
  const now = reasons.join(" ");
  if (now !== logged) {
    if (reasons.length > 0) log().error({ reasons }, "not ready");
    else log().info("ready again");
    logged = now;
  }
  return { ...readiness, reasons };
}
