import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
import { TextLink } from "~/components/ui/text-link";
import { env } from "~/env.server";
import { routeLoader } from "~/http/route.server";

export const handle = { title: "Database" };

export const loader = routeLoader({ access: "admin" }, async () =>
  json({ tool: env().adminToolUrl }),
);

export default function AdminRetool() {
  const { tool } = useLoaderData<typeof loader>();
  if (tool === null) {
    return (
      <>
        <PageHeader title="Database" />
        <EmptyState title="No database tool is set up">
          A tool of the team’s own, such as a Retool app, can stand here. Whoever runs this
          dashboard sets its address as <code>ADMIN_TOOL_URL</code>.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Database"
        subtitle="The team’s own tool. It is not part of this dashboard: it has its own sign-in, and what is done in it is not in the audit log."
      />
      {/* Sandboxed, and without a referrer: the tool is another site. */}
      <iframe
        className="tool"
        title="Database tool"
        src={tool}
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals"
        referrerPolicy="no-referrer"
      />
      <p>
        If it stays empty: <TextLink href={tool}>open it by itself</TextLink>.
      </p>
    </>
  );
}
