import { z } from "zod";

import type { PagePosition } from "~/http/pagination";
import { pageSchema } from "~/http/pagination.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { isCalendarDay } from "~/text/dates";
import { parseSearchText } from "~/text/search-text";

import { listChanges, type AuditChange, type CategoryNames } from "./changes";
import { auditEntrySchema, type AuditEntry } from "./entry.server";
import { formatAction, formatActor, formatEntry, SUBJECTS } from "./labels";
import { shortenChange } from "./shorten-changes";

/** How many entries a page of the log has, and the trail of one listing or user. */
const PAGE_ROWS = 50;
const TRAIL_ROWS = 10;

/** A filter of the log. Empty strings find everything. */
interface AuditFilter {
  who: string;
  action: string;
  subject: string;
  subject_id: string;
  /** Days in UTC, both included. */
  from: string;
  to: string;
}

/** Reads the filter from a URL. A malformed value is ignored. */
export function parseAuditFilter(params: URLSearchParams): AuditFilter {
  const action = params.get("action") ?? "";
  const subject = params.get("subject") ?? "";
  return {
    who: parseSearchText(params.get("who")),
    action: /^[a-z][a-z-]{0,60}$/.test(action) ? action : "",
    subject: Object.hasOwn(SUBJECTS, subject) ? subject : "",
    subject_id: parseSearchText(params.get("subject_id")),
    from: parseDay(params.get("from")),
    to: parseDay(params.get("to")),
  };
}

const parseDay = (text: string | null) => (text !== null && isCalendarDay(text) ? text : "");

const entryPageSchema = pageSchema(auditEntrySchema).extend({ actions: z.array(z.string()) });

/** A page of the log, the newest first, and every action that the log contains. For admins. */
export async function listAuditEntries(
  db: Db,
  filter: Partial<AuditFilter>,
  position: PagePosition = {},
  rows = PAGE_ROWS,
) {
  const args = { filter, ...position, page_rows: rows };
  return callFunction(db, "admin_audit", args, entryPageSchema);
}

/** The names of all categories: an entry has their ids. For admins. */
export async function listCategoryNames(db: Db): Promise<CategoryNames> {
  const rows = unwrap(await db.from("categories").select("id, name"));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** An entry with what it changed in words, instead of the rows. */
export type ListedEntry = Omit<AuditEntry, "people" | "before" | "after"> & {
  changes: AuditChange[];
};

const SHORTENED =
  "Details show long texts from where they first differ. The CSV file has all of each text.";

/**
 * A page of the log for an AuditTable, with what to know about the texts that it shortens; null when it shortens none.
 * For admins.
 */
export async function listEntriesInWords(
  db: Db,
  filter: Partial<AuditFilter>,
  position: PagePosition,
) {
  const [{ rows, ...page }, categories] = await Promise.all([
    listAuditEntries(db, filter, position),
    listCategoryNames(db),
  ]);
  let note: string | null = null;
  const entries = rows.map(({ people, before, after, ...entry }): ListedEntry => {
    const whole = listChanges({ subject: entry.subject, people, before, after }, categories);
    const changes = whole.map(shortenChange);
    // (A change that isn't shortened is the same object.)
    if (changes.some((change, index) => change !== whole[index])) note = SHORTENED;
    return { ...entry, changes };
  });
  return { ...page, entries, note };
}

/** An entry with its labels, so that the page that shows it does not load them. */
export interface AuditTrailEntry {
  id: number;
  at: string;
  action: string;
  who: string;
  /** The id of the actor, when the account exists. */
  actor: string | null;
  about: string;
  changes: AuditChange[];
}

/**
 * The newest entries about one listing or user, for an AuditTrail. For admins.
 * @param subject the name of the table in the log, such as "places"
 */
export async function listAuditTrail(
  db: Db,
  subject: keyof typeof SUBJECTS,
  id: string | number,
): Promise<AuditTrailEntry[]> {
  const [{ rows }, categories] = await Promise.all([
    listAuditEntries(db, { subject, subject_id: String(id) }, {}, TRAIL_ROWS),
    listCategoryNames(db),
  ]);
  return rows.map((entry) => ({
    id: entry.id,
    at: entry.at,
    action: formatAction(entry.action),
    who: formatActor(entry),
    actor: entry.known ? entry.actor : null,
    about: formatEntry(entry),
    changes: listChanges(entry, categories).map(shortenChange),
  }));
}
