import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { DateText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatDollars } from "~/modules/billing/prices";
import { keepTogether } from "~/text/keep-together";

import {
  describeDetails,
  describeItem,
  describeLatestRefund,
  describePurchase,
  getPurchaseState,
} from "./purchase";
import type { Purchase } from "./purchases.server";

function State({ purchase }: { purchase: Purchase }) {
  const { label, tone } = getPurchaseState(purchase);
  const refundedOn = describeLatestRefund(purchase.refunds);
  const byBank = purchase.returned_cents - purchase.refunded_cents;
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {purchase.refunded_cents > 0 ? (
        <p className="hint">
          {formatDollars(purchase.refunded_cents)} refunded{refundedOn ? ` on ${refundedOn}` : ""}
        </p>
      ) : null}
      {byBank > 0 ? <p className="hint">{formatDollars(byBank)} returned</p> : null}
    </>
  );
}

const columns: Column<Purchase>[] = [
  {
    key: "date",
    header: "Date",
    kind: "nowrap",
    cell: ({ paid_at }) => <DateText at={paid_at} />,
  },
  {
    key: "what",
    header: "What you paid for",
    rowHeader: true,
    cell: (purchase) => {
      const details = describeDetails(purchase);
      return (
        <>
          <bdi>{describeItem(purchase)}</bdi>
          {details ? <p className="hint">{details}</p> : null}
        </>
      );
    },
  },
  {
    key: "amount",
    header: "Amount",
    kind: "number",
    cell: ({ cents, tax_cents }) => (
      <>
        {formatDollars(cents)}
        {tax_cents > 0 ? (
          <p className="hint">{keepTogether(`with ${formatDollars(tax_cents)} tax`)}</p>
        ) : null}
      </>
    ),
  },
  { key: "state", header: "Status", cell: (purchase) => <State purchase={purchase} /> },
  {
    key: "receipt",
    header: "Receipt",
    hideHeader: true,
    kind: "screen-only",
    cell: (purchase) =>
      purchase.cents > 0 ? (
        <TextLink href={paths.receipt(purchase.id)} about={describePurchase(purchase)}>
          Receipt
        </TextLink>
      ) : (
        "Nothing to pay"
      ),
  },
];

/** What someone paid, newest first. */
export function PurchaseTable({
  caption,
  purchases,
}: {
  caption: string;
  purchases: readonly Purchase[];
}) {
  return <DataTable caption={caption} columns={columns} rows={purchases} rowKey={({ id }) => id} />;
}
