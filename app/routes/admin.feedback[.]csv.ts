import { csvDownload } from "~/http/csv.server";
import { routeLoader } from "~/http/route.server";
import { allPages, EXPORT_ROWS, fileName } from "~/modules/exports/all-pages.server";
import { feedbackPage } from "~/modules/feedback/feedback.server";

/** The feedback that waits, or that is done with, as a table for a spreadsheet. */
export const loader = routeLoader({ access: "admin" }, async ({ request, db, url }) => {
  const completed = url.searchParams.get("completed") === "yes";
  return csvDownload(
    request,
    fileName(completed ? "feedback-completed" : "feedback"),
    [
      { header: "Id", cell: ({ id }) => id },
      { header: "User", cell: ({ user_name }) => user_name },
      { header: "User id", cell: ({ user }) => user },
      { header: "Feedback", cell: ({ feedback }) => feedback },
      { header: "Date (UTC)", cell: ({ created_at }) => created_at },
      { header: "App Version", cell: ({ os }) => os },
      { header: "Completed", cell: ({ archived }) => archived },
    ],
    allPages((place) => feedbackPage(db, completed, place, EXPORT_ROWS)),
  );
});
