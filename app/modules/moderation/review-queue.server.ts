import type { Db } from "~/integrations/supabase/clients.server";
import { dataOf } from "~/integrations/supabase/data.server";
import { labelOfColumn, valueInWords } from "~/modules/listings/fields";

/** Rows of an admin table at most. */
const PAGE_ROWS = 250;

/** One field that a waiting edit changed: as it is public now, and as it would become. */
export interface Change {
  label: string;
  before: string;
  after: string;
}

export interface WaitingListing {
  id: number;
  version: number;
  name: string;
  category: string;
  place: string;
  hasOwnerEmail: boolean;
  since: string;
  changes: Change[];
}

/** The listings that wait in one status, the longest waiting first. For admins; others get none. */
export async function waitingListings(
  db: Db,
  status: "new" | "pending-update",
): Promise<{ rows: WaitingListing[]; total: number }> {
  const answer = await db
    .from("places")
    .select("*, named:categories(name)", { count: "exact" })
    .eq("status", status)
    .order("modified_at", { ascending: true })
    .order("id", { ascending: true })
    .limit(PAGE_ROWS);
  const rows = dataOf(answer).map(({ named, last_update, ...listing }) => ({
    id: listing.id,
    version: listing.version,
    name: listing.name,
    category: named?.name ?? "",
    place: [listing.city, listing.state].filter(Boolean).join(", "),
    hasOwnerEmail: listing.owner_email !== null,
    since: listing.modified_at,
    changes: Object.entries((last_update ?? {}) as Record<string, unknown>).map(([column, before]) => ({
      label: labelOfColumn(column),
      before: valueInWords(before),
      after: valueInWords((listing as Record<string, unknown>)[column]),
    })),
  }));
  return { rows, total: answer.count ?? rows.length };
}
