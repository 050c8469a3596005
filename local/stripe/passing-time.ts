import type { Account } from "./account";
import { billingDue, type Due } from "./billing-cycle";
import { tellOfDebit } from "./checkout-completion";
import { sessionsDue } from "./checkout-sessions";
import { debitsDue } from "./payment-intents";

/** Lets happen, in order, whatever is due by now: sessions end, plans renew, payments are tried again. */
export function catchUp(account: Account): void {
  passTime(account, account.nowMs);
}

/** Moves the account's clock ahead. What happens on the way happens at its own moment. */
export function moveClock(account: Account, byMs: number): void {
  if (byMs < 0) throw new Error("The clock goes ahead only.");
  const until = account.nowMs + byMs;
  passTime(account, until);
  setClock(account, until);
}

function passTime(account: Account, untilMs: number): void {
  for (;;) {
    const due = whatIsDue(account).sort((one, other) => one.at - other.at)[0];
    if (!due || due.at * 1000 > untilMs) return;
    if (due.at * 1000 > account.nowMs) setClock(account, due.at * 1000);
    account.store.change(() => due.happen());
  }
}

/** What will happen by itself, the oldest things first. */
function whatIsDue(account: Account): Due[] {
  return [
    ...billingDue(account),
    ...sessionsDue(account),
    ...debitsDue(account, (intent) => tellOfDebit(account, intent)),
  ].reverse();
}

function setClock(account: Account, toMs: number): void {
  account.changeSettings({ aheadMs: toMs - Date.now() });
}
