import { z } from "zod";

import { redirectWithFlash } from "~/http/flash.server";
import { requiredLine } from "~/http/form-fields.server";
import { formErrorResponse, parseForm, readField } from "~/http/form.server";
import type { ActionContext } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { explainRefusal } from "~/http/refusals.server";
import { isolate } from "~/text/isolate";

import {
  MAX_VIEW_NAME_LENGTH,
  parseFilter,
  queuePath,
  type NamedFilter,
  type Queue,
} from "./filter";
import { MODERATION_REFUSALS } from "../refusals";

/** A filter that an admin saved under a name, for themselves. */
export interface SavedView extends NamedFilter {
  id: number;
}

const savedViewSchema = z.object({
  name: requiredLine(MAX_VIEW_NAME_LENGTH, "Enter a name for this view."),
});

/** The caller's saved views, by name. */
export async function listSavedViews(db: Db): Promise<SavedView[]> {
  const rows = unwrap(await db.from("saved_views").select("id, name, filter").order("name"));
  return rows.map(({ id, name, filter }) => ({ id, name, filter: parseFilter(toParams(filter)) }));
}

/** A stored filter is read like one in a URL, so that it is a filter whatever the row contains. */
function toParams(filter: unknown): URLSearchParams {
  const entries = typeof filter === "object" && filter !== null ? Object.entries(filter) : [];
  return new URLSearchParams(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Saves the filter of a queue as a view. A view of the caller's with the same name is replaced. */
export async function saveView({ db, form, url }: ActionContext<"admin">, queue: Queue) {
  const submission = parseForm(form, savedViewSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  const { name } = submission.value;
  const filter = parseFilter(url.searchParams, queue);
  try {
    unwrap(
      await db
        .from("saved_views")
        .upsert({ name, filter }, { onConflict: "owner,name" })
        .select("name"),
    );
  } catch (error) {
    if (!(error instanceof DataError) || error.reason === null) throw error;
    return formErrorResponse(submission, {
      errors: { name: [explainRefusal(error, MODERATION_REFUSALS)] },
    });
  }
  return redirectWithFlash(queuePath(filter), `“${isolate(name)}” saved.`);
}

/** Deletes one of the caller's views. Safe to repeat. */
export async function deleteView({ db, form, url }: ActionContext<"admin">, queue: Queue) {
  const id = parseRowId(readField(form, "saved"));
  if (id !== null) unwrap(await db.from("saved_views").delete().eq("id", id));
  return redirectWithFlash(queuePath(parseFilter(url.searchParams, queue)), "View deleted.");
}
