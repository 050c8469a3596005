import { z } from "zod";

import { HttpError } from "~/http/errors.server";
import { readRowPosition, type PagePosition } from "~/http/pagination";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { hasValues } from "~/integrations/supabase/has-values";
import { readAllPages } from "~/modules/exports/export.server";
import { parseRowId } from "~/text/row-id";

import { isLeadState, LEAD_STATES, type LeadState } from "./rules";

/** The number of leads on a page of the table. */
const PAGE_SIZE = 50;
/** The most leads that one call returns. */
const EXPORT_PAGE_SIZE = 250;

const lead = z.object({
  id: z.number(),
  created_at: z.string(),
  requester_name: z.string(),
  requester_email: z.string(),
  message: z.string(),
  place_id: z.number(),
  place_name: z.string(),
  state: z.enum(LEAD_STATES),
  notes: z.string().nullable(),
  version: z.number(),
});
/** A message to a listing, for its owner and its managers. */
export type Lead = z.infer<typeof lead>;

const myLeads = z.object({
  rows: z.array(lead),
  total: z.number(),
  /** The position of the first row among all leads found, from 1; null if there is none. */
  first: z.number().nullable(),
  listings: z.array(
    z.object({ id: z.number(), name: z.string(), leads: z.number(), new: z.number() }),
  ),
});

/** The filter of the leads. */
export interface LeadsFilter {
  listing: number | null;
  state: LeadState | null;
}

export interface LeadsPage {
  leads: Lead[];
  total: number;
  /** The position of the page's first lead among those found, from 1; 0 if there is none. */
  first: number;
  /** Every listing that has leads, by name. */
  listings: z.infer<typeof myLeads>["listings"];
}

/** Reads the filter and the page from the URL. Malformed parameters are ignored. */
export function parseLeadsQuery(params: URLSearchParams): {
  filter: LeadsFilter;
  position: PagePosition<number>;
} {
  const state = params.get("state");
  return {
    filter: {
      listing: parseRowId(params.get("listing")),
      state: isLeadState(state) ? state : null,
    },
    position: readRowPosition(params),
  };
}

/**
 * A page of the leads of the listings that the caller owns or manages, newest first. One database
 * call.
 * @throws DataError
 */
export async function getLeadsPage(
  db: Db,
  { listing, state }: LeadsFilter,
  position: PagePosition<number>,
  pageSize = PAGE_SIZE,
): Promise<LeadsPage> {
  const { rows, total, first, listings } = await callFunction(
    db,
    "my_leads",
    { page_rows: pageSize, listing, wanted: state, ...position },
    myLeads,
  );
  return { leads: rows, total, first: first ?? 0, listings };
}

/** All leads that a filter finds, page by page. */
export const readAllLeads = (db: Db, filter: LeadsFilter): AsyncGenerator<Lead[]> =>
  readAllPages(async ({ after }) => {
    const position = after === undefined ? {} : { after: Number(after) };
    const { leads: rows } = await getLeadsPage(db, filter, position, EXPORT_PAGE_SIZE);
    const last = rows.length < EXPORT_PAGE_SIZE ? undefined : rows.at(-1);
    return { rows, before: null, after: last ? String(last.id) : null };
  });

/** 404, the same for someone else's lead and for one that does not exist. */
export function noSuchLead(): HttpError {
  return new HttpError(404, "Lead not found", "It isn’t among the messages sent to your listings.");
}

/** A lead of a listing that the caller owns or manages. @throws HttpError 404, DataError */
export async function getLead(db: Db, id: number): Promise<Lead> {
  const answer = await db.rpc("get_owner_leads").eq("id", id).maybeSingle();
  unwrap(answer);
  if (!answer.data) throw noSuchLead();
  return lead.parse(answer.data);
}

/**
 * Saves the state and the notes of a lead. Safe to repeat after the response was lost.
 * @param version of the lead that the form was opened with
 * @returns "stale" if it has changed since; then nothing was saved
 * @throws HttpError 404, DataError
 */
export async function saveLead(
  db: Db,
  id: number,
  { version, ...values }: { state: LeadState; notes: string | null; version: number },
): Promise<"saved" | "stale"> {
  const rows = unwrap(
    await db.from("leads").update(values).eq("id", id).eq("version", version).select("id"),
  );
  return rows.length > 0 || hasValues(await getLead(db, id), values) ? "saved" : "stale";
}
