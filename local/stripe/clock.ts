import type { Account, DueTask } from "./account";
import { dueBilling } from "./billing";
import { dueDebits } from "./checkout-completion";
import { dueExpirations } from "./checkout-sessions";
import { dueRefunds } from "./refund-outcomes";

/**
 * Runs what is due by now, in order: sessions expire, subscriptions renew, failed payments are
 * tried again.
 */
export function runDueTasks(account: Account): void {
  runTasksUntil(account, account.nowMs);
}

/** Moves the account's clock ahead. What is due in between happens at its own time. */
export function advanceClock(account: Account, byMs: number): void {
  if (byMs < 0) throw new Error("The clock goes ahead only.");
  const untilMs = account.nowMs + byMs;
  runTasksUntil(account, untilMs);
  setClock(account, untilMs);
}

function runTasksUntil(account: Account, untilMs: number): void {
  for (;;) {
    const next = dueTasks(account).sort((one, other) => one.at - other.at)[0];
    if (!next || next.at * 1000 > untilMs) return;
    if (next.at * 1000 > account.nowMs) setClock(account, next.at * 1000);
    account.store.transaction(() => next.run());
  }
}

/** What will happen by itself; tasks of older objects come first. */
function dueTasks(account: Account): DueTask[] {
  return [
    ...dueBilling(account),
    ...dueExpirations(account),
    ...dueDebits(account),
    ...dueRefunds(account),
  ].reverse();
}

function setClock(account: Account, toMs: number): void {
  account.changeSettings({ clockOffsetMs: toMs - Date.now() });
}
