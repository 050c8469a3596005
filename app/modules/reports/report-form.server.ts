import { z } from "zod";

import { chosenRows, refuseChoice, settledInWords } from "~/http/chosen-rows.server";
import type { Flash } from "~/http/flash.server";
import { parseForm, formErrorResponse } from "~/http/form.server";
import { optionalText } from "~/http/form-fields.server";
import type { Db } from "~/integrations/supabase/clients.server";

import { settleReports, type SettledReports } from "./reports.server";
import type { ReportState } from "./rules";

const noteSchema = z.object({ note: optionalText(2_000) });

const DONE: Readonly<Record<ReportState, string>> = {
  open: "reopened",
  resolved: "resolved",
  dismissed: "dismissed",
};

/** What happened to the listings that were to be flagged, each that was not with its reason. */
function flaggedInWords(flagged: SettledReports["flagged"]): string {
  const done = flagged.filter(({ outcome }) => outcome === "done").length;
  const others = flagged
    .filter(({ outcome }) => outcome !== "done")
    .map(({ name, reason }) => `${name}: ${reason ?? ""}`);
  return [
    done > 0 ? `${done.toLocaleString("en")} ${done === 1 ? "listing" : "listings"} flagged.` : "",
    ...others,
  ]
    .filter(Boolean)
    .join(" ");
}

/**
 * Settles the reports chosen in a form as its button says.
 * @returns the form, refused; or the message for the next page
 */
export async function settleChosen(db: Db, form: FormData, state: ReportState, flag = false) {
  const ids = chosenRows(form, "report");
  const refused = refuseChoice(form, ids, "Choose the reports first.");
  if (refused) return { refused };
  const submission = parseForm(form, noteSchema);
  if (submission.status !== "success") return { refused: formErrorResponse(submission) };
  const settled = await settleReports(db, ids, { state, note: submission.value.note, flag });
  const { tone, text } = settledInWords(settled, DONE[state]);
  const flash: Flash = {
    tone,
    text: [text, flaggedInWords(settled.flagged)].filter(Boolean).join(" "),
  };
  return { flash };
}
