import { csvDownload } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import { readAllPages, EXPORT_ROWS, exportFileName } from "~/modules/exports/export.server";
import { describeStatus } from "~/modules/listings/status-rules";
import { listReports, parseReportState } from "~/modules/reports/reports.server";
import { REPORT_STATE_LABELS } from "~/modules/reports/rules";

/** The reports in one state as a CSV file. It does not say who reported. */
export const loader = routeLoader(
  { access: "admin", page: false },
  async ({ request, db, url }) => {
    const state = parseReportState(url.searchParams);
    return csvDownload(
      request,
      exportFileName(`reports-${state}`),
      [
        { header: "ID", cell: ({ id }) => id },
        { header: "Business", cell: ({ place_name }) => place_name },
        { header: "Listing ID", cell: ({ place }) => place },
        {
          header: "Listing status",
          cell: ({ place_status, place_hidden }) => describeStatus(place_status, place_hidden),
        },
        { header: "Reason", cell: ({ reason }) => reason },
        { header: "Info", cell: ({ info }) => info },
        { header: "Date (UTC)", cell: ({ created_at }) => created_at },
        { header: "Status", cell: (report) => REPORT_STATE_LABELS[report.state] },
        { header: "Note", cell: ({ note }) => note },
      ],
      readAllPages((position) => listReports(db, state, position, EXPORT_ROWS)),
    );
  },
);
