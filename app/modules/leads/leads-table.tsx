import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { Lead } from "./leads.server";
import { excerpt, leadBadge, replyLink } from "./rules";

const dayOf = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

const columns: Column<Lead>[] = [
  {
    key: "date",
    header: "Date (UTC)",
    nowrap: true,
    cell: ({ created_at: at, state }) => {
      const { label, tone } = leadBadge(state);
      return (
        <>
          <time dateTime={at}>{dayOf.format(new Date(at))}</time> <Badge tone={tone}>{label}</Badge>
        </>
      );
    },
  },
  { key: "name", header: "Name", rowHeader: true, cell: ({ requester_name: name }) => name },
  {
    key: "email",
    header: "Email address",
    cell: ({ requester_email: email, place_name: listing }) => {
      const [name, host] = email.split(/(?=@[^@]*$)/);
      return (
        <a href={replyLink({ email, listing })}>
          {name}
          <wbr />
          {host}
        </a>
      );
    },
  },
  {
    key: "message",
    header: "Message",
    wide: true,
    cell: ({ id, message, requester_name: name }) => (
      <>
        {excerpt(message)}{" "}
        <TextLink to={paths.lead(id)} about={`from ${name} (${id})`}>
          Open
        </TextLink>
      </>
    ),
  },
  { key: "listing", header: "Listing", cell: ({ place_name: listing }) => listing },
];

/** Messages to the owner's listings, the newest first. */
export function LeadsTable({ caption, leads }: { caption: string; leads: Lead[] }) {
  return <DataTable caption={caption} columns={columns} rows={leads} rowKey={({ id }) => id} />;
}
