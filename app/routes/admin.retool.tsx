import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";

import { EmptyState } from "~/components/ui/empty-state";
import { PageHeader } from "~/components/ui/page-header";
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
        <EmptyState title="No database tool connected">
          You can embed a tool here, such as a Retool app. To connect one, set{" "}
          <code>ADMIN_TOOL_URL</code>.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Database"
        subtitle="Your team’s own tool. It has its own sign-in, and what you do in it isn’t in the audit log."
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
        Not loading?{" "}
        <a href={tool} rel="noreferrer" target="_blank">
          Open it in a new tab
        </a>
      </p>
    </>
  );
}
