import { csvDownload } from "~/http/csv.server";
import type { PagePosition } from "~/http/pagination";
import type { Db } from "~/integrations/supabase/clients.server";
import { EXPORT_ROWS, exportFileName, readAllPages } from "~/modules/exports/export.server";

import { readJobs, type JobsFilterValues } from "./jobs-page.server";
import { getJobBadges } from "./rules";

/** Everyone's jobs under a filter as a download, the newest first, with masked email addresses. For admins. */
export function jobsCsv(request: Request, db: Db, filter: JobsFilterValues, now: Date) {
  return csvDownload(
    request,
    exportFileName("jobs", now),
    [
      { header: "ID", cell: ({ id }) => id },
      { header: "Job Title", cell: ({ title }) => title },
      {
        header: "Status",
        cell: (job) =>
          getJobBadges(job, now)
            .map(({ label }) => label)
            .join(", "),
      },
      { header: "Expiration Date (UTC)", cell: ({ expiration_date }) => expiration_date },
      { header: "Owner", cell: ({ owner_name }) => owner_name },
      { header: "Owner ID", cell: ({ owner }) => owner },
      { header: "Owner email", cell: ({ owner_email }) => owner_email },
      { header: "Added (UTC)", cell: ({ created_at }) => created_at },
    ],
    readAllPages((position: PagePosition<number>) => readJobs(db, filter, position, EXPORT_ROWS)),
  );
}
