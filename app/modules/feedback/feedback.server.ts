import { z } from "zod";

import { bulkResultSchema } from "~/http/bulk-action.server";
import type { PagePosition } from "~/http/pagination";
import { pageSchema } from "~/http/pagination.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { toOneLine } from "~/text/one-line";
import { shorten } from "~/text/shorten";

/** How many rows a page of the table has. */
const PAGE_ROWS = 50;

/** What someone wrote about the app. */
const feedbackSchema = z.object({
  id: z.number(),
  /** Null when the account was deleted. */
  user: z.string().nullable(),
  user_name: z.string().nullable(),
  feedback: z.string(),
  /** Shown as App Version. */
  os: z.string().nullable(),
  archived: z.boolean(),
  created_at: z.string(),
});
export type Feedback = z.infer<typeof feedbackSchema>;

const feedbackPageSchema = pageSchema(feedbackSchema).extend({ total: z.number() });

/** A page of the open feedback, or of the archived, the newest first, with the total. For admins. */
export async function listFeedback(
  db: Db,
  archived: boolean,
  position: PagePosition = {},
  rows = PAGE_ROWS,
) {
  const args = { archived, ...position, page_rows: rows };
  return callFunction(db, "admin_feedback", args, feedbackPageSchema);
}

/** Archives feedback, or reopens it. For admins; safe to repeat. */
export async function archiveFeedback(db: Db, ids: number[], archived: boolean) {
  return callFunction(db, "archive_feedback", { ids, archived }, bulkResultSchema);
}

/** With the ellipsis. */
const MAX_QUOTED = 41;

/** How feedback begins, on one line; null when there is none with this id. */
export async function quoteFeedback(db: Db, id: number): Promise<string | null> {
  const answer = await db.from("feedback").select("feedback").eq("id", id).maybeSingle();
  unwrap(answer);
  return shorten(toOneLine(answer.data?.feedback ?? ""), MAX_QUOTED) || null;
}
