import { z } from "zod";

import { requiredText } from "~/http/form-fields.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { listingsFilter, type ListingsFilter, type NamedFilter } from "./listings-filter";

/** A filter that an admin keeps under a name, for themselves. */
export interface SavedView extends NamedFilter {
  id: number;
}

export const savedViewSchema = z.object({ name: requiredText(60, "Give this view a name.") });

/** The caller's own saved views, by name. One call. */
export async function savedViews(db: Db): Promise<SavedView[]> {
  const rows = unwrap(await db.from("saved_views").select("id, name, filter").order("name"));
  return rows.map(({ id, name, filter }) => ({
    id,
    name,
    filter: listingsFilter(asAddress(filter)),
  }));
}

/** What was kept is read as an address is: whatever it holds, it is a filter. */
function asAddress(kept: unknown): URLSearchParams {
  const entries = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
  return new URLSearchParams(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/**
 * Keeps a filter under a name, in place of the one that had it.
 * @throws DataError "refused" in words, when as many are kept as may be
 */
export async function saveView(db: Db, name: string, filter: ListingsFilter): Promise<void> {
  unwrap(await db.from("saved_views").upsert({ name, filter }, { onConflict: "owner,name" }));
}

/** Deletes one of the caller's own; safe to repeat. */
export async function deleteView(db: Db, id: number): Promise<void> {
  unwrap(await db.from("saved_views").delete().eq("id", id));
}
