import { DataTable, type Column } from "~/components/ui/data-table";
import { RecordTimeText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";
import { ListingLink } from "~/modules/listings/listing-link";

import { AuditChanges } from "./audit-changes";
import type { ListedEntry } from "./audit-log.server";
import { formatAction, formatActor, formatEntry, formatSubject } from "./labels";

/** What an entry is about, with a link to its page unless it has none or was deleted. */
function Subject({ entry }: { entry: ListedEntry }) {
  const text = formatSubject(entry);
  if (entry.subject_name === null) return <bdi>{text}</bdi>;
  if (entry.subject === "places") return <ListingLink id={entry.subject_id}>{text}</ListingLink>;
  return entry.subject === "profiles" ? (
    <TextLink to={paths.adminUser(entry.subject_id)}>{text}</TextLink>
  ) : (
    <bdi>{text}</bdi>
  );
}

function Actor({ entry }: { entry: ListedEntry }) {
  const name = formatActor(entry);
  return entry.actor !== null && entry.known ? (
    <TextLink to={paths.adminUser(entry.actor)}>{name}</TextLink>
  ) : (
    <bdi>{name}</bdi>
  );
}

const columns: Column<ListedEntry>[] = [
  { key: "action", header: "Action", rowHeader: true, cell: ({ action }) => formatAction(action) },
  { key: "subject", header: "Item", kind: "sentences", cell: (entry) => <Subject entry={entry} /> },
  { key: "who", header: "Person", kind: "long", cell: (entry) => <Actor entry={entry} /> },
  {
    key: "when",
    header: "When (UTC)",
    kind: "nowrap",
    cell: ({ at }) => <RecordTimeText at={at} />,
  },
  {
    key: "changes",
    header: "Details",
    hideHeader: true,
    cell: (entry) => <AuditChanges about={formatEntry(entry)} changes={entry.changes} />,
  },
];

/** Entries of the audit log. */
export function AuditTable({ caption, entries }: { caption: string; entries: ListedEntry[] }) {
  return (
    <DataTable
      className="brief"
      caption={caption}
      columns={columns}
      rows={entries}
      rowKey={({ id }) => id}
    />
  );
}
