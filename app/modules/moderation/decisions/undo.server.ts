import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { explainRefusal } from "~/http/refusals.server";
import type { ActionContext } from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import { isolate } from "~/text/isolate";
import { parseUuid } from "~/text/uuid";

import { MODERATION_REFUSALS } from "../refusals";
import { undoDecisions } from "./batch.server";

const NOTHING_TO_UNDO = MODERATION_REFUSALS.nothing_to_undo;

/**
 * Undoes the caller's decision on one listing: the action of the "Undo" that a message has.
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
    const [row] = (await undoDecisions(db, batch)).rows;
    return row?.outcome === "undone"
      ? await redirectWithFlash(path, `Undone. “${isolate(row.name ?? "")}” is as it was before.`)
      : await problem(row?.reason ?? NOTHING_TO_UNDO);
  } catch (error) {
    if (!(error instanceof DataError) || error.reason === null) throw error;
    return problem(explainRefusal(error, MODERATION_REFUSALS));
  }
}
