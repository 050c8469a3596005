import { csvDownload, inOneBatch } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import { toDollars } from "~/modules/billing/prices";
import { MOVEMENT_LABELS, PAYMENT_LABELS, readMonth } from "~/modules/ledger/ledger";
import { listMovements } from "~/modules/ledger/ledger.server";
import { describeItem } from "~/modules/purchases/purchase";

/** Every movement of money in a month, as CSV. Its sum is Stripe's, before fees. */
export const loader = routeLoader(
  { access: "admin", page: false },
  async ({ request, db, url }) => {
    const month = readMonth(url.searchParams.get("month"), new Date());
    const movements = await listMovements(db, month);
    return csvDownload(
      request,
      `payments-${month}`,
      [
        { header: "Date (UTC)", cell: ({ at }) => at },
        { header: "Type", cell: ({ type }) => MOVEMENT_LABELS[type] },
        { header: "Product", cell: ({ kind }) => describeItem({ kind, item_name: null }) },
        { header: "For", cell: ({ item_name }) => item_name },
        { header: "Reason", cell: ({ reason }) => PAYMENT_LABELS[reason] },
        { header: "Amount", cell: ({ cents }) => toDollars(cents) },
        { header: "Tax included", cell: ({ tax_cents }) => toDollars(tax_cents) },
        { header: "Currency", cell: ({ currency }) => currency.toUpperCase() },
        { header: "Payment in Stripe", cell: ({ payment_id }) => payment_id },
        { header: "Refund in Stripe", cell: ({ refund_id }) => refund_id },
        { header: "Invoice", cell: ({ invoice_number }) => invoice_number },
        { header: "Order", cell: ({ order_id }) => order_id },
      ],
      inOneBatch(movements),
    );
  },
);
