import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { explainRefusal } from "~/http/refusals.server";
import type { ActionContext } from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import { formatCount } from "~/text/counts";
import { isolate } from "~/text/isolate";
import { parseUuid } from "~/text/uuid";

import { MODERATION_REFUSALS } from "../refusals";
import { undoDecisions } from "./batch.server";

const NOTHING_TO_UNDO = MODERATION_REFUSALS.nothing_to_undo;

/**
 * Undoes the caller's decision on one listing, or on those of the reports that they selected: the action of the "Undo"
 * that a message has.
 * @param path the page that shows the result
 */
export async function undoDecision(
  { db, form }: Pick<ActionContext<"admin">, "db" | "form">,
  path: string,
) {
  const problem = (text: string) => redirectWithFlash(path, { tone: "problem", text });
  const batch = parseUuid(readField(form, "batch"));
  if (batch === null) return problem(NOTHING_TO_UNDO);
  try {
    const { rows, counts, reports, reports_left } = await undoDecisions(db, batch);
    const undone = rows.filter(({ outcome }) => outcome === "undone");
    // Those that weren't changed by the decision are none of its undo.
    const left = rows.find(({ outcome }) => outcome === "unchanged");
    if (undone.length === 0)
      return await problem(left?.reason ?? rows[0]?.reason ?? NOTHING_TO_UNDO);
    const before =
      undone.length === 1
        ? `“${isolate(undone[0]!.name ?? "")}” is as it was before.`
        : `${formatCount(undone.length, "listing is", "listings are")} as before.`;
    const changed =
      left === undefined
        ? ""
        : `${formatCount(counts.unchanged, "listing has", "listings have")} changed since, so ${counts.unchanged === 1 ? "it was" : "they were"} left unchanged.`;
    return await redirectWithFlash(
      path,
      ["Undone.", before, describeReports(reports ?? 0, reports_left ?? 0), changed]
        .filter(Boolean)
        .join(" "),
    );
  } catch (error) {
    if (!(error instanceof DataError) || error.reason === null) throw error;
    return problem(explainRefusal(error, MODERATION_REFUSALS));
  }
}

/** What has become of the reports that were resolved with the decision. One that someone has dealt with since is left. */
function describeReports(all: number, left: number): string {
  if (all === 0) return "";
  if (left === 0) return "The reports are open again.";
  const open =
    all > left ? `${formatCount(all - left, "report is", "reports are")} open again. ` : "";
  return `${open}${formatCount(left, "report stays", "reports stay")} closed.`;
}
