import { HttpError } from "~/http/errors.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { parseRowId } from "~/text/row-id";

import { isLeadState, type LeadState } from "./rules";

/** As many leads as a page of the table holds. */
export const PAGE_SIZE = 50;
/** As many as one call gives at most. */
const EXPORT_ROWS = 250;

/** Somebody's message to a listing: read by its owner, and by those who manage it for them. */
export interface Lead {
  id: number;
  created_at: string;
  requester_name: string;
  requester_email: string;
  message: string;
  place_id: number;
  place_name: string;
  state: LeadState;
  notes: string | null;
  version: number;
}

/** Which page of the leads is asked for. */
export interface LeadsQuery {
  listing: number | null;
  state: LeadState | null;
  /** Begin after this lead, or end before that one; the first page without either. */
  after: number | null;
  before: number | null;
}

export interface LeadsPage {
  leads: Lead[];
  total: number;
  /** The place of the page's first lead among those found, from 1; 0 when there is none. */
  first: number;
  /** Every listing that has leads, by name. */
  listings: { id: number; name: string; leads: number; new: number }[];
}

/** What the address of the page asks for; anything malformed is as if it were not there. */
export function leadsQuery(params: URLSearchParams): LeadsQuery {
  const state = params.get("state");
  return {
    listing: parseRowId(params.get("listing")),
    state: isLeadState(state) ? state : null,
    after: parseRowId(params.get("after")),
    before: parseRowId(params.get("before")),
  };
}

/**
 * A page of the leads sent to the caller's listings, newest first. One call; the database decides which are theirs.
 * @throws DataError
 */
export async function leadsPage(
  db: Db,
  { listing, state, after, before }: LeadsQuery,
  pageSize = PAGE_SIZE,
): Promise<LeadsPage> {
  const page = unwrap(
    await db.rpc("my_leads", {
      page_rows: pageSize,
      ...(listing === null ? {} : { listing }),
      ...(state === null ? {} : { wanted: state }),
      ...(after === null ? {} : { after }),
      ...(before === null ? {} : { before }),
    }),
  ) as unknown as {
    rows: Lead[];
    total: number;
    first: number | null;
    listings: LeadsPage["listings"];
  };
  return { leads: page.rows, total: page.total, first: page.first ?? 0, listings: page.listings };
}

/** Every lead of a kind, page after page, for reading them in turn. */
export async function* allLeads(db: Db, { listing, state }: LeadsQuery): AsyncGenerator<Lead[]> {
  let after: number | null = null;
  for (;;) {
    const { leads }: LeadsPage = await leadsPage(
      db,
      { listing, state, after, before: null },
      EXPORT_ROWS,
    );
    if (leads.length > 0) yield leads;
    if (leads.length < EXPORT_ROWS) return;
    after = leads.at(-1)!.id;
  }
}

/**
 * One lead of the caller's listings.
 * @throws HttpError 404 with the same words whether it is another's or does not exist
 */
export async function leadOf(db: Db, param: string | undefined): Promise<Lead> {
  const id = parseRowId(param);
  const answer = id === null ? null : await db.rpc("get_owner_leads").eq("id", id).maybeSingle();
  if (answer) unwrap(answer);
  if (!answer?.data)
    throw new HttpError(
      404,
      "We can’t open that lead",
      "It isn’t among the messages sent to your listings.",
    );
  return answer.data as Lead;
}

/**
 * Sorts a lead and keeps the owner's notes on it.
 * @param version of the lead as it stood in the form
 * @returns "stale" when it has changed since; then nothing was saved
 * @throws DataError
 */
export async function saveLead(
  db: Db,
  id: number,
  { version, ...values }: { state: LeadState; notes: string | null; version: number },
): Promise<"saved" | "stale"> {
  const rows = unwrap(
    await db.from("leads").update(values).eq("id", id).eq("version", version).select("id"),
  );
  return rows.length > 0 ? "saved" : "stale";
}
