import { csvDownload } from "~/http/csv.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { readAllPages, EXPORT_ROWS, exportFileName } from "~/modules/exports/export.server";

import type { JobsQuery } from "./jobs-page.server";
import { jobBadges, type JobFacts } from "./rules";

interface ExportedJob extends JobFacts {
  id: number;
  title: string;
  owner: string | null;
  owner_name: string | null;
  /** Masked. */
  owner_email: string | null;
  created_at: string;
}

/** Everybody's jobs under a filter as a download, the newest first; addresses of owners are masked. For admins. */
export function jobsCsv(
  request: Request,
  db: Db,
  { search, state }: Pick<JobsQuery, "search" | "state">,
  now: Date,
) {
  const filter = { ...(search ? { search } : {}), ...(state ? { state } : {}) };
  return csvDownload(
    request,
    exportFileName("jobs", now),
    [
      { header: "Id", cell: ({ id }) => id },
      { header: "Job Title", cell: ({ title }) => title },
      {
        header: "Status",
        cell: (job) =>
          jobBadges(job, now)
            .map(({ label }) => label)
            .join(", "),
      },
      { header: "Expiration Date (UTC)", cell: ({ expiration_date }) => expiration_date },
      { header: "Owner", cell: ({ owner_name }) => owner_name },
      { header: "Owner id", cell: ({ owner }) => owner },
      { header: "Owner email", cell: ({ owner_email }) => owner_email },
      { header: "Added (UTC)", cell: ({ created_at }) => created_at },
    ],
    readAllPages(async ({ after }) => {
      const page = await db.rpc("jobs_page", {
        ...filter,
        everybodys: true,
        page_rows: EXPORT_ROWS,
        ...(after ? { after: Number(after) } : {}),
      });
      const { rows, next } = unwrap(page) as unknown as {
        rows: ExportedJob[];
        next: number | null;
      };
      return { rows, before: null, after: next === null ? null : String(next) };
    }),
  );
}
