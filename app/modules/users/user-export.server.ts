import { csvDownload } from "~/http/csv.server";
import type { Page } from "~/http/pagination";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { allPages, EXPORT_ROWS, fileName } from "~/modules/exports/all-pages.server";

import type { ListedUser, UserFilter } from "./user-list.server";

interface ExportedUser extends ListedUser {
  postalcode: string | null;
  business_owner: boolean;
}

/**
 * The users of a filter as a download, the newest first.
 * @param entry of the audit log that lets addresses and numbers be read; without it they are masked
 */
export function usersCsv(request: Request, db: Db, filter: UserFilter, entry: number | null) {
  return csvDownload(
    request,
    fileName("users"),
    [
      { header: "Id", cell: ({ id }) => id },
      { header: "Full name", cell: ({ name }) => name },
      { header: "Pronouns", cell: ({ pronouns }) => pronouns },
      { header: "Phone", cell: ({ phone }) => phone },
      { header: "Email", cell: ({ email }) => email },
      { header: "ZIP / postal code", cell: ({ postalcode }) => postalcode },
      {
        header: "User type",
        cell: ({ business_owner }) => (business_owner ? "Business Owner" : "App User"),
      },
      { header: "SMS opt-in", cell: ({ sms_opted_in }) => sms_opted_in },
      { header: "Email opt-in", cell: ({ opted_in }) => opted_in },
      { header: "Supporter", cell: ({ supporter }) => supporter },
      { header: "Favorites", cell: ({ favorites }) => favorites },
      { header: "Joined (UTC)", cell: ({ created_at }) => created_at },
    ],
    allPages(async (place) => {
      const page = await db.rpc("export_users", {
        ...filter,
        ...place,
        ...(entry === null ? {} : { entry }),
        page_rows: EXPORT_ROWS,
      });
      return unwrap(page) as unknown as Page<ExportedUser>;
    }),
  );
}
