import { json, type SerializeFrom } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { Link } from "react-router-dom";

import { ButtonLink } from "~/components/ui/button";
import { ProblemAlert } from "~/components/ui/callout";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { routeAction, routeLoader } from "~/http/route.server";
import { ExportLinks } from "~/modules/exports/export-links";
import { PlansOfOthers } from "~/modules/billing/plans-of-others";
import { listPlansOfOthers, planOfOtherHandlers } from "~/modules/billing/plans-of-others.server";
import { formatDollars } from "~/modules/billing/prices";
import { addUp, listYears, selectYear } from "~/modules/purchases/purchase";
import { PurchaseTable } from "~/modules/purchases/purchase-table";
import { listPurchases, readYear } from "~/modules/purchases/purchases.server";

export const handle = {
  title: "Purchases",
  tabTitle: ({ year }: SerializeFrom<typeof loader>) => getTitle(year),
};

const getTitle = (year: number | null) => (year === null ? "Purchases" : `Purchases in ${year}`);

export const loader = routeLoader({ access: "signed in" }, async ({ db, url }) => {
  const [all, otherPlans] = await Promise.all([listPurchases(db), listPlansOfOthers(db)]);
  const years = listYears(all);
  const wanted = readYear(url.searchParams);
  const year = wanted !== null && years.includes(wanted) ? wanted : null;
  return json({ years, year, purchases: selectYear(all, year), otherPlans });
});

export const action = routeAction({ access: "signed in" }, planOfOtherHandlers);

export default function Purchases() {
  const { years, year, purchases, otherPlans } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const problem = answer && "problem" in answer ? answer.problem : null;
  const { paid, returned } = addUp(purchases);
  const byBank = purchases.some(({ dispute }) => dispute === "lost");
  return (
    <>
      <PageHeader
        title={getTitle(year)}
        parent={{ to: paths.account(), label: "My Account" }}
        subtitle="Your payments for jobs, newsletters and Featured listings. Dates are in UTC."
      />
      <ProblemAlert problem={problem} />
      {otherPlans.length > 0 ? <PlansOfOthers plans={otherPlans} /> : null}
      {years.length === 0 ? (
        <EmptyState
          title="You haven’t bought anything yet"
          action={<ButtonLink to={paths.upgrade()}>See the Featured plans</ButtonLink>}
        >
          Your payments and their receipts will be listed here.
        </EmptyState>
      ) : (
        <>
          {years.length > 1 ? (
            <nav className="chips screen-only" aria-label="Years">
              {[null, ...years].map((one) => (
                <Link
                  key={one}
                  to={paths.purchases(one ?? undefined)}
                  className="chip"
                  aria-current={one === year ? "page" : undefined}
                >
                  {one ?? "All"}
                </Link>
              ))}
            </nav>
          ) : null}
          <PurchaseTable
            caption={`You paid ${formatDollars(paid)}${returned > 0 ? `, and ${formatDollars(returned)} was ${byBank ? "returned to you" : "refunded"}` : ""}`}
            purchases={purchases}
          />
          <p className="hint screen-only">
            You can print this page for your records. Receipts open in Stripe, our payment provider.
          </p>
          <ExportLinks what="your purchases" csv={paths.purchasesCsv(year ?? undefined)} />
          <p className="links screen-only">
            <TextLink to={paths.invoices()}>
              Get invoices with your business’s name and address
            </TextLink>
          </p>
        </>
      )}
    </>
  );
}
