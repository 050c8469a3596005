/**
 * `npm run emails:send`: emails the owners of jobs that expire and of plans that renew soon, and sends
 * the emails that are due. For a scheduler, every few minutes; safe to repeat and to run twice at once. Exits with
 * 1 when some could not be sent, which are tried again later.
 */
import "./app-environment.mjs";

import { ConfigurationError } from "~/env.server";
import { canSendEmail } from "~/integrations/email/email.server";
import { DataError } from "~/integrations/supabase/data.server";
import { queueRenewalNotices } from "~/modules/billing/emails.server";
import { queueExpiringJobEmails } from "~/modules/jobs/emails.server";
import { deliverEmailQueue } from "~/modules/emails/deliver-queue.server";

async function main(): Promise<void> {
  if (!canSendEmail()) {
    console.error("No email can be sent: SMTP_URL and MAIL_FROM are not set. See .env.example.");
    process.exitCode = 1;
    return;
  }
  await queueExpiringJobEmails();
  await queueRenewalNotices();
  const { sent, failed } = await deliverEmailQueue();
  console.log(`${sent} sent, ${failed} not sent`);
  if (failed > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  const known = error instanceof ConfigurationError || error instanceof DataError;
  console.error(known ? error.message : error);
  process.exitCode = 1;
}
