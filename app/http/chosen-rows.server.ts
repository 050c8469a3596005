import { z } from "zod";

import { parseRowId } from "~/text/row-id";

import type { Flash } from "./flash.server";
import { parseForm, formErrorResponse } from "./form.server";

/** As many rows as may be chosen at a time. */
const MOST_CHOSEN = 1_000;

/** The rows of a table chosen in a form by their ids, each once; what is no id chooses nothing. */
export function chosenRows(form: FormData, name: string): number[] {
  const ids = form.getAll(name).map(parseRowId);
  return [...new Set(ids.filter((id) => id !== null))];
}

/**
 * Gives a form back in which no row was chosen, or too many; null when it is fine.
 * @param nothing what is said when none was
 */
export function refuseChoice(form: FormData, ids: number[], nothing: string) {
  const told =
    ids.length === 0
      ? nothing
      : ids.length > MOST_CHOSEN
        ? `Choose ${MOST_CHOSEN.toLocaleString("en")} at most at a time.`
        : null;
  return told === null
    ? null
    : formErrorResponse(parseForm(form, z.unknown()), { errors: { "": [told] } });
}

/** What came of chosen rows: how many were changed, were so already, and do not exist. */
export interface Settled {
  changed: number;
  unchanged: number;
  missing: number;
}

/** What came of it, as the message on the next page. @param done the verb in the past: "archived" */
export function settledInWords({ changed, unchanged, missing }: Settled, done: string): Flash {
  const sentences = [
    changed > 0 || unchanged + missing === 0 ? `${changed.toLocaleString("en")} ${done}.` : "",
    unchanged > 0 ? `${unchanged.toLocaleString("en")} had been ${done} already.` : "",
    missing > 0 ? `${missing.toLocaleString("en")} could not be found.` : "",
  ];
  return {
    tone: missing > 0 ? "problem" : changed > 0 ? "success" : "info",
    text: sentences.filter(Boolean).join(" "),
  };
}
