import { DataTable, type Column } from "~/components/ui/data-table";
import { RecordTimeText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { formatDollars } from "~/modules/billing/prices";
import { describePurchase } from "~/modules/purchases/purchase";

import { MOVEMENT_LABELS } from "./ledger";
import type { Movement } from "./ledger.server";

const describe = (movement: Movement) =>
  describePurchase({
    ...movement,
    item_dates: null,
    plan: null,
    period_from: null,
    period_to: null,
  });

const columns: Column<Movement>[] = [
  { key: "at", header: "When (UTC)", cell: ({ at }) => <RecordTimeText at={at} /> },
  { key: "type", header: "Type", kind: "nowrap", cell: ({ type }) => MOVEMENT_LABELS[type] },
  {
    key: "what",
    header: "For",
    rowHeader: true,
    cell: (movement) =>
      movement.order_id === null ? (
        describe(movement)
      ) : (
        <TextLink to={paths.adminOrder(movement.order_id)}>{describe(movement)}</TextLink>
      ),
  },
  {
    key: "amount",
    header: "Amount",
    kind: "number",
    cell: ({ cents }) => formatDollars(cents),
  },
  {
    key: "id",
    header: "In Stripe",
    kind: "sentences",
    cell: ({ refund_id, payment_id }) => refund_id ?? payment_id,
  },
];

/** What came in and went out, oldest first. */
export function MovementTable({
  caption,
  movements,
}: {
  caption: string;
  movements: readonly Movement[];
}) {
  return (
    <DataTable
      className="brief"
      caption={caption}
      columns={columns}
      rows={movements}
      rowKey={({ type, payment_id, refund_id }) => `${type} ${payment_id} ${refund_id ?? ""}`}
    />
  );
}
