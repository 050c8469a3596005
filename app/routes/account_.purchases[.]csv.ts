import { csvDownload, inOneBatch } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import { describePurchase, getPurchaseState, selectYear } from "~/modules/purchases/purchase";
import { listPurchases, readYear } from "~/modules/purchases/purchases.server";
import { toDollars } from "~/modules/billing/prices";

/** What someone paid, as CSV for their books. Amounts are in US dollars. */
export const loader = routeLoader(
  { access: "signed in", page: false },
  async ({ request, db, url }) => {
    const purchases = selectYear(await listPurchases(db), readYear(url.searchParams));
    return csvDownload(
      request,
      "purchases",
      [
        { header: "Date (UTC)", cell: ({ paid_at }) => paid_at },
        {
          header: "What you paid for",
          // Names are searched for as people type them.
          cell: (purchase) => describePurchase(purchase).replaceAll("\u00a0", " "),
        },
        { header: "Amount (USD)", cell: ({ cents }) => toDollars(cents) },
        { header: "Tax included (USD)", cell: ({ tax_cents }) => toDollars(tax_cents) },
        { header: "Refunded (USD)", cell: ({ returned_cents }) => toDollars(returned_cents) },
        { header: "Status", cell: (purchase) => getPurchaseState(purchase).label },
        { header: "Invoice", cell: ({ invoice_number }) => invoice_number },
        { header: "Payment", cell: ({ id }) => id },
      ],
      inOneBatch(purchases),
    );
  },
);
