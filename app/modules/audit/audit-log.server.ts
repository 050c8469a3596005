import type { Page, PagePosition } from "~/http/pagination";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import type { Json } from "~/integrations/supabase/database.types";
import { isCalendarDay } from "~/text/dates";
import { parseSearchText } from "~/text/search-text";

import {
  actionInWords,
  actorInWords,
  changesInWords,
  entryInWords,
  SUBJECTS,
  type AuditChange,
  type AuditEntry,
  type AuditFilter,
} from "./audit-words";

/** As many entries as a page of the log holds, and as a listing or a user shows of its own. */
const PAGE_ROWS = 50;
const TRAIL_ROWS = 10;

/** What an address asks for; what is malformed is as if it were not there. */
export function auditFilter(params: URLSearchParams): AuditFilter {
  const subject = params.get("subject") ?? "";
  const day = (name: "from" | "to") => {
    const text = params.get(name) ?? "";
    return isCalendarDay(text) ? text : "";
  };
  return {
    who: parseSearchText(params.get("who")),
    action: /^[a-z][a-z-]{0,60}$/.test(params.get("action") ?? "") ? params.get("action")! : "",
    subject: Object.hasOwn(SUBJECTS, subject) ? subject : "",
    subject_id: parseSearchText(params.get("subject_id")),
    from: day("from"),
    to: day("to"),
  };
}

/** A page of the audit log, the newest first, and every action there is. One call; for admins. */
export async function auditPage(
  db: Db,
  filter: Partial<AuditFilter>,
  place: PagePosition = {},
  rows = PAGE_ROWS,
) {
  const page = unwrap(
    await db.rpc("admin_audit", { filter: filter as Json, ...place, page_rows: rows }),
  );
  return page as unknown as Page<AuditEntry> & { actions: string[] };
}

/** An entry in words, so that the page that shows it needs to know none of them. */
export interface TrailEntry {
  id: number;
  at: string;
  action: string;
  who: string;
  /** The account of whoever it was, when it is still there. */
  person: string | null;
  about: string;
  changes: AuditChange[];
}

/**
 * The newest entries of one listing, user or other row, for an AuditTrail. For admins; one call.
 * @param subject the table's name in the log, such as "places"
 */
export async function auditTrail(
  db: Db,
  subject: keyof typeof SUBJECTS,
  id: string | number,
): Promise<TrailEntry[]> {
  const { rows } = await auditPage(db, { subject, subject_id: String(id) }, {}, TRAIL_ROWS);
  return rows.map((entry) => ({
    id: entry.id,
    at: entry.at,
    action: actionInWords(entry.action),
    who: actorInWords(entry),
    person: entry.known ? entry.actor : null,
    about: entryInWords(entry),
    changes: changesInWords(entry),
  }));
}
