import { json, type SerializeFrom } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Stats } from "~/components/ui/stats";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { formatDollars } from "~/modules/billing/prices";
import { ExportLinks } from "~/modules/exports/export-links";
import { neighborsOf, readMonth, sumUp } from "~/modules/ledger/ledger";
import { listMovements } from "~/modules/ledger/ledger.server";
import { MovementTable } from "~/modules/ledger/movement-table";
import { formatCount } from "~/text/counts";
import { formatMonth } from "~/text/dates";

export const handle = {
  title: "Payments",
  tabTitle: ({ month }: SerializeFrom<typeof loader>) =>
    `Payments in ${formatMonth(`${month}-01`)}`,
};

export const loader = routeLoader({ access: "admin" }, async ({ db, url }) => {
  const now = new Date();
  const month = readMonth(url.searchParams.get("month"), now);
  const movements = await listMovements(db, month);
  return json({ month, ...neighborsOf(month, now), movements, sums: sumUp(movements) });
});

export default function Payments() {
  const { month, before, after, movements, sums } = useLoaderData<typeof loader>();
  const name = formatMonth(`${month}-01`);
  return (
    <>
      <PageHeader
        title={`Payments in ${name}`}
        subtitle="All payments and refunds in Stripe, before fees."
      />
      <nav className="links" aria-label="Months">
        <TextLink to={paths.adminPayments(before)}>{formatMonth(`${before}-01`)}</TextLink>
        {after === null ? null : (
          <TextLink to={paths.adminPayments(after)}>{formatMonth(`${after}-01`)}</TextLink>
        )}
      </nav>
      {movements.length === 0 ? (
        <EmptyState title={`No payments in ${name}`}>
          Payments, refunds and disputes are listed here by month.
        </EmptyState>
      ) : (
        <>
          <Stats
            stats={[
              { label: "Received", value: formatDollars(sums.received) },
              { label: "Refunded or disputed", value: formatDollars(sums.returned) },
              { label: "Balance", value: formatDollars(sums.net) },
            ]}
          />
          <MovementTable
            caption={formatCount(movements.length, "entry", "entries")}
            movements={movements}
          />
          <ExportLinks what={`payments in ${name}`} csv={paths.adminPaymentsCsv(month)} />
        </>
      )}
    </>
  );
}
