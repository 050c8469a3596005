import { csvDownload } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import { allPages, EXPORT_ROWS, fileName } from "~/modules/exports/all-pages.server";
import { reportsPage, reportState } from "~/modules/reports/reports.server";
import { REPORT_STATE_LABELS } from "~/modules/reports/rules";

/** The reports in one state, as a table for a spreadsheet. Who reported is not told. */
export const loader = routeLoader({ access: "admin" }, async ({ request, db, url }) => {
  const state = reportState(url.searchParams);
  return csvDownload(
    request,
    fileName(`reports-${state}`),
    [
      { header: "Id", cell: ({ id }) => id },
      { header: "Business", cell: ({ place_name }) => place_name },
      { header: "Listing id", cell: ({ place }) => place },
      { header: "Listing is", cell: ({ place_status }) => place_status },
      { header: "Reason", cell: ({ reason }) => reason },
      { header: "Info", cell: ({ info }) => info },
      { header: "Date (UTC)", cell: ({ created_at }) => created_at },
      { header: "State", cell: (report) => REPORT_STATE_LABELS[report.state] },
      { header: "Note", cell: ({ note }) => note },
    ],
    allPages((place) => reportsPage(db, state, place, EXPORT_ROWS)),
  );
});
