import { csvDownload } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import { auditFilter, auditPage } from "~/modules/audit/audit-log.server";
import {
  actionInWords,
  actorInWords,
  changesInWords,
  subjectInWords,
} from "~/modules/audit/audit-words";
import { allPages, EXPORT_ROWS, fileName } from "~/modules/exports/all-pages.server";

/** The audit log under a filter, as a table for a spreadsheet. Contact details are withheld in it as in the log. */
export const loader = routeLoader({ access: "admin" }, async ({ request, db, url }) => {
  const filter = auditFilter(url.searchParams);
  return csvDownload(
    request,
    fileName("audit-log"),
    [
      { header: "Id", cell: ({ id }) => id },
      { header: "When (UTC)", cell: ({ at }) => at },
      { header: "Action", cell: ({ action }) => actionInWords(action) },
      { header: "What", cell: subjectInWords },
      { header: "Its id", cell: ({ subject_id }) => subject_id },
      { header: "Who", cell: actorInWords },
      { header: "Who (id)", cell: ({ actor }) => actor },
      {
        header: "Before",
        cell: (entry) =>
          inOneCell(changesInWords(entry).map(({ label, before }) => [label, before])),
      },
      {
        header: "After",
        cell: (entry) => inOneCell(changesInWords(entry).map(({ label, after }) => [label, after])),
      },
    ],
    allPages((place) => auditPage(db, filter, place, EXPORT_ROWS)),
  );
});

/** "Status: published; Phone: Withheld" */
function inOneCell(values: [label: string, value: string | null][]): string {
  return values
    .flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`]))
    .join("; ");
}
