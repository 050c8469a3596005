import { csvDownload } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import { readAllPages, EXPORT_ROWS, exportFileName } from "~/modules/exports/export.server";
import { listFeedback } from "~/modules/feedback/feedback.server";

/** The open or the archived feedback as a CSV file. */
export const loader = routeLoader(
  { access: "admin", page: false },
  async ({ request, db, url }) => {
    const completed = url.searchParams.get("completed") === "yes";
    return csvDownload(
      request,
      exportFileName(completed ? "feedback-completed" : "feedback"),
      [
        { header: "ID", cell: ({ id }) => id },
        { header: "User", cell: ({ user_name }) => user_name },
        { header: "User ID", cell: ({ user }) => user },
        { header: "Feedback", cell: ({ feedback }) => feedback },
        { header: "Date (UTC)", cell: ({ created_at }) => created_at },
        { header: "App Version", cell: ({ os }) => os },
        { header: "Completed", cell: ({ archived }) => archived },
      ],
      readAllPages((position) => listFeedback(db, completed, position, EXPORT_ROWS)),
    );
  },
);
