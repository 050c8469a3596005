import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/** The tables that hold contact details: with these they are downloaded only after an entry in the audit log. */
export type ContactTable = "users" | "listings";

/**
 * Writes into the audit log that an admin downloads a table with its contact details, under which filter.
 * @returns the entry's id, which the download needs
 */
export async function startExport(
  db: Db,
  table: ContactTable,
  filter: URLSearchParams,
): Promise<number> {
  return unwrap(await db.rpc("start_export", { what: table, about: Object.fromEntries(filter) }));
}
