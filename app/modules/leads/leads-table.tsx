import { Badge } from "~/components/ui/badge";
import { DataTable, type Column } from "~/components/ui/data-table";
import { DateText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import type { Lead } from "./leads.server";
import { getExcerpt, getLeadBadge, getReplyLink } from "./rules";

const columns: Column<Lead>[] = [
  {
    key: "date",
    header: "Date (UTC)",
    kind: "nowrap",
    cell: ({ created_at: at }) => <DateText at={at} />,
  },
  {
    key: "name",
    header: "Name",
    rowHeader: true,
    cell: ({ id, requester_name: name, state }) => {
      const { label, tone } = getLeadBadge(state);
      return (
        <>
          <TextLink to={paths.lead(id)} about={`lead ${id}`}>
            {name}
          </TextLink>{" "}
          <Badge tone={tone}>{label}</Badge>
        </>
      );
    },
  },
  {
    key: "email",
    header: "Email address",
    cell: ({ requester_email: email }) => {
      const [name = "", host = ""] = email.split(/(?=@[^@]*$)/);
      // Most have room for both halves; only longer ones break anywhere.
      const long = Math.max(name.length, host.length) > 24;
      return (
        <a href={getReplyLink(email)} dir="auto" className={long ? "long" : undefined}>
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
    kind: "sentences",
    cell: ({ message }) => getExcerpt(message),
  },
  { key: "listing", header: "Listing", kind: "long", cell: ({ place_name: listing }) => listing },
];

/** A page of leads, newest first. */
export function LeadsTable({ caption, leads }: { caption: string; leads: Lead[] }) {
  return (
    <DataTable
      className="leads messages"
      caption={caption}
      columns={columns}
      rows={leads}
      rowKey={({ id }) => id}
    />
  );
}
