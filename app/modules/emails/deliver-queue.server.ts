import { log, redactSecrets } from "~/http/log.server";
import {
  canSendEmail,
  EmailError,
  SEND_DEADLINE_MS,
  sendEmail,
} from "~/integrations/email/email.server";
import { createServiceClient } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { composeEmail, type QueuedEmail } from "./compose-email.server";

const BATCH = 20;
/** Of one run: the rest waits for the next. */
const PER_RUN = 500;
/** The database leaves a batch to us for two minutes; then it is anybody's. */
const BATCH_WITHIN_MS = 120_000 - 2 * SEND_DEADLINE_MS;
/** Failures in a row after which the mail server is taken for down. */
const DOWN_AFTER = 3;

export interface DeliveryResult {
  sent: number;
  failed: number;
}

/**
 * Sends the notices that are due, one after the other. Safe to run at any time, in any number of
 * processes: each notice is left to one sender. It stops asking a mail server that is down.
 * @param limit how many at most
 * @throws DataError when the database does not answer
 */
export async function deliverEmailQueue(limit = PER_RUN): Promise<DeliveryResult> {
  const total: DeliveryResult = { sent: 0, failed: 0 };
  if (!canSendEmail()) {
    sayOnce();
    return total;
  }
  const db = createServiceClient();
  let failuresInARow = 0;
  for (;;) {
    const most = Math.min(BATCH, limit - total.sent - total.failed);
    const notices = most > 0 ? unwrap(await db.rpc("take_notices", { most })) : [];
    if (notices.length === 0) return total;
    const until = Date.now() + BATCH_WITHIN_MS;
    for (const notice of notices) {
      // What we took and leave becomes free again by itself.
      if (failuresInARow >= DOWN_AFTER || Date.now() > until) return total;
      const failure = await send(notice);
      if (failure) {
        unwrap(await db.rpc("notice_failed", { id: notice.id, for_good: failure.forGood }));
        total.failed += 1;
        failuresInARow = failure.forGood ? 0 : failuresInARow + 1;
      } else {
        unwrap(await db.rpc("notice_sent", { id: notice.id }));
        total.sent += 1;
        failuresInARow = 0;
      }
    }
  }
}

/** Sends one. Gives whether it failed for good when it failed; why is in the log. */
async function send(
  notice: QueuedEmail & { attempts: number },
): Promise<{ forGood: boolean } | undefined> {
  const { id, kind, attempts } = notice;
  try {
    await sendEmail(composeEmail(notice));
    log().info({ notice: id, kind }, "notice sent");
    return undefined;
  } catch (error) {
    const forGood = error instanceof EmailError && error.permanent;
    const reason = redactSecrets(error instanceof Error ? error.message : String(error));
    log().warn({ notice: id, kind, attempts, forGood, reason }, "notice not sent");
    return { forGood };
  }
}

let saidOnce = false;

function sayOnce(): void {
  if (saidOnce) return;
  saidOnce = true;
  log().warn("SMTP_URL and MAIL_FROM are not set: e-mails wait, and are not sent");
}

let running = false;
let again = false;

/**
 * Sends what waits, without being waited for: after an act that wrote a notice. It neither delays nor
 * fails the act; what does not go out now is sent by `npm run notices`.
 */
export function triggerEmailDelivery(): void {
  again = true;
  if (!running) void drain();
}

async function drain(): Promise<void> {
  running = true;
  try {
    while (again) {
      again = false;
      await deliverEmailQueue();
    }
  } catch (error) {
    log().warn({ reason: redactSecrets(String(error)) }, "notices could not be fetched");
  } finally {
    running = false;
  }
}
