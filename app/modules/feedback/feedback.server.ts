import type { Settled } from "~/http/chosen-rows.server";
import type { Page, PagePosition } from "~/http/pagination";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/** As many pieces of feedback as a page of the table holds. */
const PAGE_ROWS = 50;

/** What somebody wrote about the app. */
export interface Feedback {
  id: number;
  /** Null when they have no account any more. */
  user: string | null;
  user_name: string | null;
  feedback: string;
  /** Shown as App Version. */
  os: string | null;
  archived: boolean;
  created_at: string;
}

/** A page of the feedback that waits, or that is done with: the newest first, with how much there is. For admins; one call. */
export async function feedbackPage(
  db: Db,
  archived: boolean,
  place: PagePosition = {},
  rows = PAGE_ROWS,
) {
  const page = unwrap(await db.rpc("admin_feedback", { archived, ...place, page_rows: rows }));
  return page as unknown as Page<Feedback> & { total: number };
}

/** Puts feedback away, or back. For admins; one call, and safe to repeat. */
export async function archiveFeedback(db: Db, ids: number[], archived: boolean): Promise<Settled> {
  return unwrap(await db.rpc("archive_feedback", { ids, archived })) as unknown as Settled;
}
