import { z } from "zod";

import { log, redactSecrets } from "~/http/log.server";
import {
  canSendEmail,
  EmailError,
  SEND_DEADLINE_MS,
  sendEmail,
} from "~/integrations/email/email.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { runInBackground } from "~/integrations/upstream/request-scope.server";

import { composeEmail, type QueuedEmail } from "./compose-email.server";

const BATCH_SIZE = 20;
/** For each run. The rest waits for the next run. */
const MAX_PER_RUN = 500;
/** The database reserves a batch for five minutes. After that another process may take it. */
const BATCH_DEADLINE_MS = 300_000 - 2 * SEND_DEADLINE_MS;
/** The number of failures in a row after which the mail server counts as down. */
const MAX_FAILURES_IN_A_ROW = 3;

interface DeliveryResult {
  sent: number;
  failed: number;
}

const queuedEmails = z.array(
  z.object({
    id: z.string(),
    kind: z.string(),
    data: z.unknown(),
    attempts: z.number(),
    email: z.string(),
    full_name: z.string().nullable(),
    user_id: z.string().nullable(),
    discreet: z.boolean(),
  }),
);

/**
 * Sends the emails of the queue that are due, one after the other. It can run at any time and in
 * any number of processes: each email is reserved for one of them. It stops when the mail server is
 * down.
 * @param limit the maximum number of emails
 * @param ending begins no other email once it is aborted
 * @throws DataError when the database does not answer
 */
export async function deliverEmailQueue(
  limit = MAX_PER_RUN,
  ending?: AbortSignal,
): Promise<DeliveryResult> {
  const total: DeliveryResult = { sent: 0, failed: 0 };
  if (!canSendEmail()) {
    warnOnce();
    return total;
  }
  const db = createServiceClient();
  let failuresInARow = 0;
  for (;;) {
    // What is reserved counts as tried, and waits longer after its next failure. So while the server may be down, no
    // more is reserved than is tried.
    const size = total.sent > 0 ? BATCH_SIZE : MAX_FAILURES_IN_A_ROW - failuresInARow;
    const most = Math.min(size, limit - total.sent - total.failed);
    const batch =
      most > 0 ? await callFunction(db, "lease_emails", { max_emails: most }, queuedEmails) : [];
    if (batch.length === 0) return total;
    const deadline = Date.now() + BATCH_DEADLINE_MS;
    for (const email of batch) {
      // The reservation of what is left ends by itself.
      if (failuresInARow >= MAX_FAILURES_IN_A_ROW || Date.now() > deadline || ending?.aborted)
        return total;
      const failure = await send(email);
      if (failure) {
        unwrap(await db.rpc("mark_email_failed", { id: email.id, permanent: failure.permanent }));
        total.failed += 1;
        failuresInARow = failure.ofEmail ? 0 : failuresInARow + 1;
      } else {
        unwrap(await db.rpc("mark_email_sent", { id: email.id }));
        total.sent += 1;
        failuresInARow = 0;
      }
    }
  }
}

/**
 * Sends one email. When it failed, returns whether trying again is useless, and whether the email itself is at fault
 * and not the server: its recipient's address, which anyone can choose, or what it was to say. The reason is logged.
 */
async function send(
  email: QueuedEmail & { attempts: number },
): Promise<{ permanent: boolean; ofEmail: boolean } | undefined> {
  const { id, kind, attempts } = email;
  try {
    await sendEmail(composeEmail(email));
    log().info({ emailId: id, kind }, "email sent");
    return undefined;
  } catch (error) {
    const permanent = error instanceof EmailError && error.permanent;
    const reason = redactSecrets(error instanceof Error ? error.message : String(error));
    log().warn({ emailId: id, kind, attempts, permanent, reason }, "email not sent");
    // What can't be composed never got to the server.
    const ofEmail = !(error instanceof EmailError) || permanent || error.emailRefused;
    return { permanent, ofEmail };
  }
}

let warned = false;

function warnOnce(): void {
  if (warned) return;
  warned = true;
  log().warn("SMTP_URL and MAIL_FROM are not set: emails stay in the queue");
}

const DELIVERY_INTERVAL_MS = 60_000;

/**
 * Sends the emails of the queue every minute while the app runs: those that become due without another
 * action, such as the ones about a decision, which wait until it can't be undone anymore. Call it
 * once, at startup. `npm run emails:send` does the same for a host that stops an idle app.
 * @returns stops it
 */
export function startEmailDelivery(): () => void {
  const timer = setInterval(triggerEmailDelivery, DELIVERY_INTERVAL_MS);
  // It does not keep a process alive that is otherwise done.
  timer.unref();
  return () => clearInterval(timer);
}

let delivery: Promise<void> | null = null;
let again = false;

/**
 * Sends the emails of the queue in the background, after an action that queued one. It neither
 * delays nor fails the action. What is not sent now is sent later, by `startEmailDelivery`.
 */
export function triggerEmailDelivery(): void {
  again = true;
  // In another turn of the event loop, so that the response begins first.
  delivery ??= new Promise((resolve) => {
    setImmediate(() => void runInBackground(deliverUntilDone).then(resolve));
  });
}

/** Waits until no email is being sent in the background. */
export async function settleEmailDelivery(): Promise<void> {
  await delivery;
}

async function deliverUntilDone(): Promise<void> {
  try {
    while (again) {
      again = false;
      await deliverEmailQueue();
    }
  } catch (error) {
    log().warn({ reason: redactSecrets(String(error)) }, "email queue could not be read");
  } finally {
    delivery = null;
  }
}
