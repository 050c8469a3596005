/**
 * `npm run billing:reconcile`: compares the payments at Stripe with the database, fixes the
 * differences, and reports them. For a scheduler, once a night, and for questions about a payment;
 * safe to repeat.
 *
 *     npm run billing:reconcile -- --dry-run     reports the differences, and changes nothing
 *     npm run billing:reconcile -- --days 90     compares payments of the last 90 days (default 30)
 *
 * Exits with 1 when something could not be compared or fixed.
 */
import "./app-environment.mjs";

import { parseArgs } from "node:util";

import { ConfigurationError } from "~/env.server";
import { log } from "~/http/log.server";
import { isStripeConfigured } from "~/integrations/stripe/client.server";
import { recordRun } from "~/integrations/supabase/scheduled-runs.server";
import { reconcilePayments } from "~/modules/billing/reconcile.server";
import { stopLeavingPlans } from "~/modules/billing/stop-plans.server";

import { explainFailure } from "./work/explain-failure";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      "dry-run": { type: "boolean", default: false },
      days: { type: "string", default: "30" },
    },
  });
  const days = Number(values.days);
  if (!Number.isInteger(days) || days < 1 || days > 3_650)
    throw new ConfigurationError("--days takes a number of days, such as 30.");
  if (!isStripeConfigured())
    throw new ConfigurationError(
      "No payments are set up: STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are missing. See docs/payments.md.",
    );

  const dryRun = values["dry-run"];
  const plans = await stopLeavingPlans({ dryRun, log: log() });
  const { compared, ...rest } = await reconcilePayments({ dryRun, days, log: log() });
  const differences = [
    ...plans.stopped.map(
      (id) =>
        `Subscription ${id}: to be stopped, because its listing was removed or its payer is leaving`,
    ),
    ...rest.differences,
  ];
  const failures = [...plans.failures, ...rest.failures];
  if (!dryRun) await recordRun("billing:reconcile");
  for (const difference of differences)
    console.log(`${dryRun ? "differs" : "fixed  "}  ${difference}`);
  for (const note of rest.notes) console.log(`note     ${note}`);
  for (const failure of failures) console.error(`failed   ${failure}`);
  console.log(
    `${compared} compared, ${differences.length} ${dryRun ? "differ" : "fixed"}, ${failures.length} failed`,
  );
  if (failures.length > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(explainFailure(error));
  process.exitCode = 1;
}
