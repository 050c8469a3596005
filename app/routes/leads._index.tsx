import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { ButtonLink } from "~/components/ui/button";
import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { Pagination } from "~/components/ui/pagination";
import { TextLink } from "~/components/ui/text-link";
import { unavailable } from "~/http/errors.server";
import { paths } from "~/http/paths";
import { routeLoader } from "~/http/route.server";
import { LeadsFilter } from "~/modules/leads/leads-filter";
import { LeadsTable } from "~/modules/leads/leads-table";
import { leadsPage, leadsQuery } from "~/modules/leads/leads.server";

export const handle = { title: "Leads" };

const SUBTITLE =
  "Messages that people sent to your listings. Only you read them, and whoever manages a listing with you.";

/** Open to anybody, since old links lead here; what is in it is for the owner alone, and whoever manages the listing. */
export const loader = routeLoader(
  { access: "open" },
  async ({ db, session, sessionState, url }) => {
    if (sessionState === "unknown") throw unavailable();
    const query = leadsQuery(url.searchParams);
    return json({ query, page: session ? await leadsPage(db, query) : null });
  },
);

export default function Leads() {
  const { query, page } = useLoaderData<typeof loader>();
  if (!page) {
    return (
      <>
        <h1>Leads</h1>
        <p>
          Messages that people sent to your listings are shown to you alone. Sign in to read yours.
        </p>
        <ButtonLink to={paths.login(paths.leads())}>Sign in</ButtonLink>
      </>
    );
  }
  const { leads, total, first, listings } = page;
  const filter = { listing: query.listing ?? undefined, state: query.state ?? undefined };
  const last = first + leads.length - 1;
  const caption = `${total.toLocaleString("en-US")} ${total === 1 ? "lead" : "leads"}`;
  return (
    <>
      <PageHeader title="Leads" subtitle={SUBTITLE} />
      {listings.length === 0 ? (
        <EmptyState title="No messages yet" illustration="letter">
          When somebody writes to one of your listings in the app, their message arrives here.
        </EmptyState>
      ) : (
        <LeadsFilter query={query} listings={listings} />
      )}
      {leads.length > 0 ? (
        <>
          <LeadsTable caption={caption} leads={leads} />
          <Pagination
            label="Leads, pages"
            position={`Leads ${first}–${last} of ${total.toLocaleString("en-US")}`}
            previous={first > 1 ? paths.leads({ ...filter, before: leads[0]?.id }) : undefined}
            next={last < total ? paths.leads({ ...filter, after: leads.at(-1)?.id }) : undefined}
          />
          <p>
            <a href={paths.leadsCsv(filter)} download>
              Download these leads (CSV)
            </a>
          </p>
        </>
      ) : null}
      {listings.length > 0 && leads.length === 0 ? (
        <EmptyState title="No such leads">
          None of your leads is like that. <TextLink to={paths.leads()}>Show all</TextLink>
        </EmptyState>
      ) : null}
    </>
  );
}
