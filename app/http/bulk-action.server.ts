import { z } from "zod";

import { formatNumber } from "~/text/counts";
import { parseRowId } from "~/text/row-id";

import type { Flash } from "./flash.server";
import { formErrorResponse, parseForm } from "./form.server";

/** The maximum number of selected rows. The database has the same limit. */
const MAX_SELECTED = 1_000;

/**
 * The ids of the selected rows, each once. An undo has all of them in one value, with commas. Values that are not ids are
 * ignored.
 */
export function readSelectedIds(form: FormData, name: string): number[] {
  const values = form
    .getAll(name)
    .flatMap((value) => (typeof value === "string" ? value.split(",") : []));
  const ids = values.map(parseRowId);
  return [...new Set(ids.filter((id) => id !== null))];
}

/**
 * The response when no row was selected, or too many; null when the selection is valid.
 * @param emptyMessage the error when no row was selected
 */
export function selectionErrorResponse(form: FormData, ids: number[], emptyMessage: string) {
  if (ids.length > 0 && ids.length <= MAX_SELECTED) return null;
  const message =
    ids.length === 0 ? emptyMessage : `Select up to ${formatNumber(MAX_SELECTED)} at a time.`;
  return formErrorResponse(parseForm(form, z.unknown()), { errors: { "": [message] } });
}

/** How many rows were changed, were already as requested, and do not exist. */
export const bulkResultSchema = z.object({
  changed: z.number(),
  unchanged: z.number(),
  missing: z.number(),
});
type BulkResult = z.infer<typeof bulkResultSchema>;

/**
 * Describes a result for the next page.
 * @param done the verb in the past tense: "archived"
 * @param already how the unchanged ones are, where that is not the same
 */
export function describeBulkResult(
  { changed, unchanged, missing }: BulkResult,
  done: string,
  already = done,
): Flash {
  const sentences = [
    changed > 0 || unchanged + missing === 0 ? `${formatNumber(changed)} ${done}.` : "",
    unchanged > 0 ? `${formatNumber(unchanged)} already ${already}.` : "",
    missing > 0 ? `${formatNumber(missing)} not found.` : "",
  ];
  return {
    tone: missing > 0 ? "problem" : changed > 0 ? "success" : "info",
    text: sentences.filter(Boolean).join(" "),
  };
}
