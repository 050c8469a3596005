import { z } from "zod";

import { csvDownload } from "~/http/csv.server";
import { pageSchema } from "~/http/pagination.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { EXPORT_ROWS, exportFileName, readAllPages } from "~/modules/exports/export.server";

import { listedUserSchema, type UserFilter } from "./users.server";

const rowSchema = listedUserSchema
  .omit({ admin: true })
  .extend({ postalcode: z.string().nullish(), business_owner: z.boolean() });
type Row = z.infer<typeof rowSchema>;
const userPageSchema = pageSchema(rowSchema);

/**
 * The users that a search finds as a CSV download, the newest first.
 * @param entry the audit log's entry of an export with contact details; without it they are masked, and postal codes
 *   are left out
 */
export function usersCsv(request: Request, db: Db, filter: UserFilter, entry: number | null) {
  return csvDownload(
    request,
    exportFileName("users"),
    [
      { header: "ID", cell: ({ id }) => id },
      { header: "Full name", cell: ({ name }) => name },
      { header: "Pronouns", cell: ({ pronouns }) => pronouns },
      { header: "Phone", cell: ({ phone }) => phone },
      { header: "Email", cell: ({ email }) => email },
      ...(entry === null
        ? []
        : [{ header: "ZIP / postal code", cell: ({ postalcode }: Row) => postalcode }]),
      {
        header: "User type",
        cell: ({ business_owner }) => (business_owner ? "Business Owner" : "App User"),
      },
      { header: "SMS opt-in", cell: ({ sms_opted_in }) => sms_opted_in },
      { header: "Email opt-in", cell: ({ opted_in }) => opted_in },
      { header: "Supporter", cell: ({ supporter }) => supporter },
      { header: "Favorites (rounded down to tens)", cell: ({ favorites }) => favorites },
      { header: "Joined (UTC)", cell: ({ created_at }) => created_at },
      { header: "Email confirmed", cell: ({ confirmed }) => confirmed },
    ],
    readAllPages(({ after = null }) => {
      const args = { ...filter, after, entry, page_rows: EXPORT_ROWS };
      return callFunction(db, "export_users", args, userPageSchema);
    }),
  );
}
