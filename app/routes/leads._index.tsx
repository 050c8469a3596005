import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { unavailable } from "~/http/errors.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { ExportLinks } from "~/modules/exports/export-links";
import { LeadsFilter } from "~/modules/leads/leads-filter";
import { LeadsTable } from "~/modules/leads/leads-table";
import { getLeadsPage, parseLeadsQuery } from "~/modules/leads/leads.server";
import { formatCount, formatNumber } from "~/text/counts";

export const handle = { title: "Leads" };

const SUBTITLE = "Messages to your listings. Only their owners and managers can read them.";

/** Open, because old links lead here. Only owners and managers see leads. */
export const loader = routeLoader(
  { access: "open" },
  async ({ db, session, sessionState, url }) => {
    if (sessionState === "unknown") throw unavailable();
    const { filter, position } = parseLeadsQuery(url.searchParams);
    return json({ filter, page: session ? await getLeadsPage(db, filter, position) : null });
  },
);

export default function Leads() {
  const { filter, page } = useLoaderData<typeof loader>();
  if (!page) {
    return (
      <>
        <h1>Leads</h1>
        <p>Sign in to read the messages sent to your listings.</p>
        <ButtonLink to={paths.login(paths.leads())}>Sign in</ButtonLink>
      </>
    );
  }
  const { leads, total, first, listings } = page;
  const query = { listing: filter.listing ?? undefined, state: filter.state ?? undefined };
  const last = first + leads.length - 1;
  const caption = formatCount(total, "lead");
  return (
    <>
      <PageHeader title="Leads" subtitle={SUBTITLE} />
      {listings.length === 0 ? (
        <EmptyState
          title="No messages yet"
          illustration="letter"
          action={<ButtonLink to={paths.listings()}>Go to Business Listings</ButtonLink>}
        >
          When someone sends a message to one of your listings in the app, it’ll show up here.
        </EmptyState>
      ) : (
        <LeadsFilter filter={filter} listings={listings} total={total} />
      )}
      {leads.length > 0 ? (
        <>
          <LeadsTable caption={caption} leads={leads} />
          <Pagination
            label="Leads, pages"
            position={`Leads ${first}–${last} of ${formatNumber(total)}`}
            previous={first > 1 ? paths.leads({ ...query, before: leads[0]?.id }) : undefined}
            next={last < total ? paths.leads({ ...query, after: leads.at(-1)?.id }) : undefined}
          />
          <ExportLinks what="leads" csv={paths.leadsCsv(query)} />
        </>
      ) : null}
      {listings.length > 0 && leads.length === 0 ? (
        <EmptyState title="No matching leads">Try another listing or status.</EmptyState>
      ) : null}
    </>
  );
}
