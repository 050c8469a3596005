import { formatDollars } from "~/modules/billing/prices";

import { centsOf, totalCents } from "./rules";

/** What the order comes to, as it is typed now. Said to those who listen whenever it changes. */
export function OrderTotal({ rate, dates }: { rate: string; dates: number }) {
  const rateCents = centsOf(rate);
  const total = totalCents(rateCents, dates);
  return (
    <p className="order-total" role="status">
      <span>Total</span> <strong>{total === null ? "—" : formatDollars(total)}</strong>
      <span className="hint">
        {total === null
          ? "Shown once the price is an amount."
          : `${dates} ${dates === 1 ? "newsletter" : "newsletters"} at ${formatDollars(rateCents ?? 0)}`}
      </span>
    </p>
  );
}
