import type { Settled } from "~/http/chosen-rows.server";
import type { Page, PagePosition } from "~/http/pagination";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { REPORT_STATES, type ReportState } from "./rules";

/** As many reports as a page of the table holds. */
const PAGE_ROWS = 50;

/** What somebody reported of a listing. Who it was is not told. */
export interface Report {
  id: number;
  place: number;
  place_name: string;
  place_status: string;
  reason: string | null;
  info: string | null;
  state: ReportState;
  note: string | null;
  created_at: string;
}

/** Which reports an address asks for; those that are open, unless it names others. */
export function reportState(params: URLSearchParams): ReportState {
  return REPORT_STATES.find((state) => state === params.get("state")) ?? "open";
}

/** A page of the reports in one state: the newest first, with how many there are. For admins; one call. */
export async function reportsPage(
  db: Db,
  state: ReportState,
  place: PagePosition = {},
  rows = PAGE_ROWS,
) {
  const page = unwrap(await db.rpc("admin_reports", { state, ...place, page_rows: rows }));
  return page as unknown as Page<Report> & { total: number };
}

/** How a report is settled, beside its new state: a note for the team, and whether the listing is flagged. */
export interface Settlement {
  state: ReportState;
  note: string | null;
  flag: boolean;
}

/** What came of it; of listings that were to be flagged, which were, and why not the others. */
export interface SettledReports extends Settled {
  flagged: { name: string; outcome: string; reason: string | null }[];
}

/** Settles reports, or opens them again. For admins; one call and one transaction, and safe to repeat. */
export async function settleReports(
  db: Db,
  ids: number[],
  { state, note, flag }: Settlement,
): Promise<SettledReports> {
  const settled = await db.rpc("settle_reports", {
    ids,
    to_state: state,
    flag,
    ...(note === null ? {} : { note }),
  });
  return unwrap(settled) as unknown as SettledReports;
}
