/**
 * `npm run emails:send`: emails the owners of jobs that expire and of plans that renew soon, stops the plans of
 * listings that were removed, and sends the emails that are due. For a scheduler, every few minutes; safe to repeat
 * and to run twice at once. Exits with 1 when something failed, which is tried again later.
 */
import "./app-environment.mjs";

import { log } from "~/http/log.server";
import { canSendEmail } from "~/integrations/email/email.server";
import { recordRun } from "~/integrations/supabase/scheduled-runs.server";
import { queueRenewalNotices } from "~/modules/billing/emails.server";
import { stopLeavingPlans } from "~/modules/billing/stop-plans.server";
import { queueExpiringJobEmails } from "~/modules/jobs/emails.server";
import { deliverEmailQueue } from "~/modules/emails/deliver-queue.server";

import { explainFailure } from "./work/explain-failure";

async function main(): Promise<void> {
  if (!canSendEmail()) {
    console.error("No email can be sent: SMTP_URL and MAIL_FROM are not set. See .env.example.");
    process.exitCode = 1;
    return;
  }
  await queueExpiringJobEmails();
  await queueRenewalNotices();
  const { failures } = await stopLeavingPlans({ log: log() });
  for (const failure of failures) console.error(failure);
  await recordRun("emails:send");
  const { sent, failed } = await deliverEmailQueue();
  console.log(`${sent} sent, ${failed} not sent`);
  if (failed + failures.length > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(explainFailure(error));
  process.exitCode = 1;
}
