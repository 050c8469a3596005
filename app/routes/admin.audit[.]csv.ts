import { csvDownload } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import {
  listAuditEntries,
  listCategoryNames,
  parseAuditFilter,
} from "~/modules/audit/audit-log.server";
import { listChanges } from "~/modules/audit/changes";
import { formatAction, formatActor, formatSubject } from "~/modules/audit/labels";
import { readAllPages, EXPORT_ROWS, exportFileName } from "~/modules/exports/export.server";

/** The entries of the audit log that a filter finds, as a CSV file. Contact details are withheld. */
export const loader = routeLoader(
  { access: "admin", page: false },
  async ({ request, db, url }) => {
    const filter = parseAuditFilter(url.searchParams);
    const categories = await listCategoryNames(db);
    return csvDownload(
      request,
      exportFileName("audit-log"),
      [
        { header: "ID", cell: ({ id }) => id },
        { header: "When (UTC)", cell: ({ at }) => at },
        { header: "Action", cell: ({ action }) => formatAction(action) },
        { header: "Item", cell: formatSubject },
        { header: "Item ID", cell: ({ subject_id }) => subject_id },
        { header: "Person", cell: formatActor },
        { header: "Person ID", cell: ({ actor }) => actor },
        {
          header: "Before",
          cell: (entry) =>
            joinValues(listChanges(entry, categories).map(({ label, before }) => [label, before])),
        },
        {
          header: "After",
          cell: (entry) =>
            joinValues(listChanges(entry, categories).map(({ label, after }) => [label, after])),
        },
      ],
      readAllPages((position) => listAuditEntries(db, filter, position, EXPORT_ROWS)),
    );
  },
);

/** "Status: published; Phone: Withheld" */
function joinValues(values: [label: string, value: string | null][]): string {
  return values
    .flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`]))
    .join("; ");
}
