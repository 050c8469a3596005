import { log } from "~/http/log.server";
import { canSendEmail } from "~/integrations/email/email.server";
import { isStripeConfigured } from "~/integrations/stripe/client.server";
import { recordRun } from "~/integrations/supabase/scheduled-runs.server";
import { queueRenewalNotices } from "~/modules/billing/emails.server";
import { reconcilePayments } from "~/modules/billing/reconcile.server";
import { stopLeavingPlans } from "~/modules/billing/stop-plans.server";
import { deliverEmailQueue } from "~/modules/emails/deliver-queue.server";
import { queueExpiringJobEmails } from "~/modules/jobs/emails.server";
import { eraseDueAccounts } from "~/modules/privacy/erase-due-accounts.server";

import { onceADay } from "./once-a-day";
import type { Task } from "./run-schedule";

const MINUTE_MS = 60_000;
const RECONCILED_DAYS = 30;

const nullIfZero = (counts: Record<string, number>) =>
  Object.values(counts).some((count) => count > 0) ? counts : null;

const sendEmails: Task = {
  name: "emails",
  everyMs: MINUTE_MS,
  run: async (ending) => nullIfZero({ ...(await deliverEmailQueue(undefined, ending)) }),
};

/** Each reminder is queued once, however often this runs. */
const queueReminders: Task = {
  name: "reminders",
  everyMs: 10 * MINUTE_MS,
  async run() {
    await queueExpiringJobEmails();
    await queueRenewalNotices();
    await recordRun("emails:send");
    return null;
  },
};

/**
 * Soon after the removal of a listing can't be undone anymore, before the next bill of someone who
 * leaves, and again while Stripe doesn't answer.
 */
const stopPlans: Task = {
  name: "stop-plans",
  everyMs: 5 * MINUTE_MS,
  async run() {
    const { stopped, failures } = await stopLeavingPlans({ log: log() });
    for (const failure of failures) log().error({ failure }, "plan could not be stopped");
    return nullIfZero({ stopped: stopped.length, failed: failures.length });
  },
};

/** More often than daily, which costs one query when no account is due. */
const eraseAccounts: Task = {
  name: "erase-due",
  everyMs: 60 * MINUTE_MS,
  async run() {
    const counts = await eraseDueAccounts();
    await recordRun("erase-due");
    return nullIfZero({ ...counts });
  },
};

/** Once a day in all processes together: it reads a month of payments at Stripe. */
const reconcile: Task = {
  name: "reconcile",
  everyMs: 10 * MINUTE_MS,
  run: () =>
    onceADay("reconcile", async () => {
      const { compared, differences, failures, notes } = await reconcilePayments({
        dryRun: false,
        days: RECONCILED_DAYS,
        log: log(),
      });
      await recordRun("billing:reconcile");
      for (const difference of differences) log().info({ difference }, "payment corrected");
      for (const note of notes) log().warn({ note }, "payment of another installation");
      for (const failure of failures) log().error({ failure }, "payment could not be compared");
      return { compared, fixed: differences.length, failed: failures.length };
    }),
};

/** What is repeated, as far as this installation is set up for it; and what is left out, with the reason. */
export function listTasks(): { tasks: Task[]; missing: string[] } {
  const [email, stripe] = [canSendEmail(), isStripeConfigured()];
  return {
    tasks: [
      ...(email ? [sendEmails] : []),
      queueReminders,
      eraseAccounts,
      ...(stripe ? [stopPlans, reconcile] : []),
    ],
    missing: [
      ...(email ? [] : ["no email is sent: SMTP_URL and MAIL_FROM are not set"]),
      ...(stripe ? [] : ["no payment is compared: STRIPE_SECRET_KEY is not set"]),
    ],
  };
}
