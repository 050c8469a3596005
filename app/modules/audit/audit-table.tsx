import { DataTable, type Column } from "~/components/ui/data-table";
import { TimestampText } from "~/components/ui/date-text";
import { TextLink } from "~/components/ui/text-link";
import { paths } from "~/http/paths";

import { AuditChanges } from "./audit-changes";
import {
  actionInWords,
  actorInWords,
  changesInWords,
  entryInWords,
  subjectInWords,
  type AuditEntry,
} from "./audit-words";

/** Where that which an entry is about can be looked at; null when there is no such page, or nothing there any more. */
function pathOf({ subject, subject_id, subject_name }: AuditEntry): string | null {
  if (subject_name === null) return null;
  if (subject === "places") return paths.listing(subject_id);
  return subject === "profiles" ? paths.adminUser(subject_id) : null;
}

function Subject({ entry }: { entry: AuditEntry }) {
  const path = pathOf(entry);
  return path ? (
    <TextLink to={path}>{subjectInWords(entry)}</TextLink>
  ) : (
    <>{subjectInWords(entry)}</>
  );
}

function Actor({ entry }: { entry: AuditEntry }) {
  const words = actorInWords(entry);
  return entry.actor !== null && entry.known ? (
    <TextLink to={paths.adminUser(entry.actor)}>{words}</TextLink>
  ) : (
    <>{words}</>
  );
}

const columns: Column<AuditEntry>[] = [
  { key: "action", header: "Action", rowHeader: true, cell: ({ action }) => actionInWords(action) },
  { key: "subject", header: "What", cell: (entry) => <Subject entry={entry} /> },
  { key: "who", header: "Who", cell: (entry) => <Actor entry={entry} /> },
  { key: "when", header: "When", nowrap: true, cell: ({ at }) => <TimestampText at={at} /> },
  {
    key: "changes",
    header: "Details",
    hideHeader: true,
    cell: (entry) => <AuditChanges about={entryInWords(entry)} changes={changesInWords(entry)} />,
  },
];

/** Entries of the audit log. */
export function AuditTable({ caption, entries }: { caption: string; entries: AuditEntry[] }) {
  return <DataTable caption={caption} columns={columns} rows={entries} rowKey={({ id }) => id} />;
}
