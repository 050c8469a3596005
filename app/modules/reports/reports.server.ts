import { z } from "zod";

import {
  bulkResultSchema,
  describeBulkResult,
  readSelectedIds,
  selectionErrorResponse,
} from "~/http/bulk-action.server";
import type { Flash } from "~/http/flash.server";
import { optionalText } from "~/http/form-fields.server";
import { formErrorResponse, parseForm, readField } from "~/http/form.server";
import type { PagePosition } from "~/http/pagination";
import { pageSchema } from "~/http/pagination.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { formatCount, formatNumber } from "~/text/counts";
import { explainDecisionCode } from "~/modules/moderation/decisions/outcome-texts";
import { isolate } from "~/text/isolate";

import { MAX_NOTE_LENGTH, REPORT_STATES, type ReportState } from "./rules";

/** How many rows a page of the table has. */
const PAGE_ROWS = 50;

/** What someone reported about a listing. It does not say who. */
const reportSchema = z.object({
  id: z.number(),
  place: z.number(),
  place_name: z.string(),
  place_status: z.string(),
  place_hidden: z.boolean(),
  /** (Absent from a database of the previous release.) */
  place_version: z.number().nullish(),
  reason: z.string().nullable(),
  info: z.string().nullable(),
  state: z.enum(REPORT_STATES),
  note: z.string().nullable(),
  created_at: z.string(),
});
export type Report = z.infer<typeof reportSchema>;

const reportPageSchema = pageSchema(reportSchema).extend({ total: z.number() });

/** Reads the state of the reports to list from a URL; open when it names none. */
export function parseReportState(params: URLSearchParams): ReportState {
  return REPORT_STATES.find((state) => state === params.get("state")) ?? "open";
}

/** A page of the reports in one state, the newest first, with the total. For admins. */
export async function listReports(
  db: Db,
  state: ReportState,
  position: PagePosition = {},
  rows = PAGE_ROWS,
) {
  const args = { state, ...position, page_rows: rows };
  return callFunction(db, "admin_reports", args, reportPageSchema);
}

const noteSchema = z.object({ note: optionalText(MAX_NOTE_LENGTH) });

/** The result, and the outcome for each listing that should be flagged. */
const updateSchema = bulkResultSchema.extend({
  flagged: z.array(
    z.object({
      name: z.string(),
      outcome: z.string(),
      reasons: z.array(z.string()).nullable(),
      /** What an admin should know about one that was flagged. */
      warnings: z.array(z.string()).nullish(),
    }),
  ),
  /** How many stay open because their listing has changed. (Absent from a database of the previous release.) */
  left: z.number().default(0),
  /** The decision by which they were flagged. (Absent from a database of the previous release.) */
  batch: z.string().nullish(),
});
type FlaggedListing = z.infer<typeof updateSchema>["flagged"][number];

const PAST_TENSE: Readonly<Record<ReportState, string>> = {
  open: "reopened",
  resolved: "resolved",
  dismissed: "dismissed",
};

/**
 * Sets the state of the reports that are selected in a form, all in one transaction. For admins; safe
 * to repeat.
 * @param flag whether the reported listings are flagged, too
 * @param here the page of the form, whose action undoes flagging
 * @returns the response for an invalid form; or the message for the next page
 */
export async function updateSelectedReports(
  db: Db,
  form: FormData,
  state: ReportState,
  flag: boolean,
  here: string,
) {
  const ids = readSelectedIds(form, "report");
  const selectionError = selectionErrorResponse(form, ids, "Select some reports first.");
  if (selectionError) return { formError: selectionError };
  const submission = parseForm(form, noteSchema);
  if (submission.status !== "success") return { formError: formErrorResponse(submission) };
  const seen = readSeen(form);
  const args = {
    ids,
    to_state: state,
    note: submission.value.note,
    flag,
    // A form from the previous release doesn't say what was seen.
    ...(flag && seen.length > 0 ? { listings: seen } : {}),
  };
  const result = await callFunction(db, "update_reports", args, updateSchema);
  const { tone, text } = describeBulkResult(
    result,
    PAST_TENSE[state],
    state === "open" ? "open" : "closed",
  );
  const flash: Flash = {
    tone: result.left > 0 ? "problem" : tone,
    text: [
      text,
      result.left > 0 ? `${formatNumber(result.left)} left open.` : "",
      flag ? describeFlagged(result.flagged) : "",
    ]
      .filter(Boolean)
      .join(" "),
  };
  const { batch, flagged } = result;
  if (batch && flagged.some(({ outcome }) => outcome === "done"))
    flash.undo = { action: here, fields: { batch } };
  return { flash };
}

/** The listings of the reports, each in the version that the page showed: "id:version id:version". */
export const formatSeen = (rows: Report[]) =>
  [
    ...new Set(
      rows.flatMap(({ place, place_version }) =>
        place_version ? `${place}:${place_version}` : [],
      ),
    ),
  ].join(" ");

/** The same of a posted form. It may be any text, since the database answers for each. */
const readSeen = (form: FormData) =>
  readField(form, "seen")
    .split(" ")
    .filter(Boolean)
    .map((item) => {
      const [id = "", version = ""] = item.split(":");
      return { id, version };
    });

/**
 * How many listings were flagged, the reason for each that was not, and what goes on for one that was. Those with the
 * same sentences are counted: a browser keeps no long message.
 */
function describeFlagged(listings: FlaggedListing[]): string {
  // All of the reports were closed already. (By the same form, when it is sent again.)
  if (listings.length === 0) return "No listing was flagged just now.";
  const done = listings.filter(({ outcome }) => outcome === "done").length;
  const named = new Map<string, string[]>();
  for (const { name, outcome, reasons, warnings } of listings) {
    const text = (outcome === "done" ? warnings : reasons)?.map(explainDecisionCode).join(" ");
    if (text) named.set(text, [...(named.get(text) ?? []), name]);
  }
  const explained = [...named].map(
    ([text, names]) =>
      `${names.length === 1 ? isolate(names[0]!) : formatCount(names.length, "listing")}: ${text}`,
  );
  return [done > 0 ? `${formatCount(done, "listing")} flagged.` : "", ...explained]
    .filter(Boolean)
    .join(" ");
}
