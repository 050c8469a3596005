import { randomUUID } from "node:crypto";

import { json, redirect } from "@remix-run/node";
import { z } from "zod";

import { redirectWithFlash, type Flash } from "~/http/flash.server";
import { optionalText } from "~/http/form-fields.server";
import { readField, parseForm, buildFormResult, type FormErrorData } from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { parseRowId } from "~/text/row-id";
import { DataError } from "~/integrations/supabase/data.server";

import { CHANGE_REQUEST_LIMIT } from "./change-reasons";
import { changeRequestSchema } from "./change-request.server";
import { claimListing, claimNextListing, releaseListing } from "./claims.server";
import { DECISION_WORDS, type Decision } from "./decision-rules";
import { batchId, decide, undo } from "./decisions.server";
import { noSuchListingToReview } from "./listing-details.server";
import { listingsFilter, listingsTable } from "./listings-filter";

type Context = ActionContext<"admin">;

/** What the page of a listing under review gets back when nothing was decided. */
export interface ReviewAnswer extends FormErrorData {
  /** For the next decision: what was refused has used up its own. */
  batch?: string;
  /** Which form it was that came back. */
  intent?: string;
}

const rejectionSchema = z
  .object({ reject_reason: optionalText(CHANGE_REQUEST_LIMIT) })
  .transform(({ reject_reason }) => reject_reason);
const noReasonSchema = z.unknown().transform(() => null);
const reasonOf = (form: FormData, action: Decision) => {
  if (action === "request-changes") return parseForm(form, changeRequestSchema);
  return action === "reject" ? parseForm(form, rejectionSchema) : parseForm(form, noReasonSchema);
};

const where = ({ params, url }: Context) => {
  const id = parseRowId(params.id);
  if (id === null) throw noSuchListingToReview();
  const filter = listingsFilter(url.searchParams);
  return { id, filter, here: paths.adminReview(id, filter) };
};

/** Goes to the next listing of the table, now the caller's to review; at its end, to the table. */
async function goOn(context: Context, said: (last: boolean) => Flash | null) {
  const { id, filter } = where(context);
  const next = await claimNextListing(context.db, filter, readField(context.form, "at"), id);
  const path = next === null ? listingsTable(filter) : paths.adminReview(next, filter);
  const flash = said(next === null);
  return flash ? redirectWithFlash(path, flash) : redirect(path, 303);
}

const LAST = "That was the last one of this table.";

/** Decides on the listing as it was seen, and goes on to the next. Sent twice, it is done once. */
const deciding = (action: Decision) => async (context: Context) => {
  const { db, form } = context;
  const { id, here } = where(context);
  const submission = reasonOf(form, action);
  const refuse = (errors: Record<string, string[]>, status: 400 | 409) =>
    json<ReviewAnswer>(
      { lastResult: buildFormResult(submission, errors), batch: randomUUID(), intent: action },
      { status },
    );
  if (submission.status !== "success") return refuse({}, 400);

  const batch = batchId(readField(form, "batch")) ?? randomUUID();
  try {
    const { counts, rows } = await decide(db, batch, action, submission.value, [
      { id: String(id), version: readField(form, "version") },
    ]);
    if (counts.missing > 0) throw noSuchListingToReview();
    const [row] = rows;
    if (counts.done === 0) return refuse({ "": [row?.reason ?? ""] }, counts.stale > 0 ? 409 : 400);
    const told = [`${DECISION_WORDS[action].did}: “${row?.name ?? ""}”.`, row?.warning];
    return await goOn(context, (last) => ({
      tone: "success",
      text: [...told, last ? LAST : null].filter(Boolean).join(" "),
      undo: { action: here, fields: { batch } },
    }));
  } catch (error) {
    if (!(error instanceof DataError) || error.code !== "P0001") throw error;
    return refuse({ "": [error.message] }, 409);
  }
};

/** Takes the caller's decision back, and shows the listing as it was. */
async function takeBack(context: Context) {
  const { here } = where(context);
  const batch = batchId(readField(context.form, "batch"));
  try {
    if (batch === null)
      return await redirectWithFlash(here, {
        tone: "problem",
        text: "There is nothing here to undo.",
      });
    const [row] = (await undo(context.db, batch)).rows;
    const undone = row?.outcome === "undone";
    return await redirectWithFlash(
      here,
      undone
        ? "Undone: the listing is as it was before."
        : { tone: "problem", text: row?.reason ?? "There is nothing here to undo." },
    );
  } catch (error) {
    if (!(error instanceof DataError) || error.code !== "P0001") throw error;
    return redirectWithFlash(here, { tone: "problem", text: error.message });
  }
}

const claiming = (takeOver: boolean) => async (context: Context) => {
  const { id, here } = where(context);
  await claimListing(context.db, id, takeOver);
  return redirect(here, 303);
};

async function letGo(context: Context) {
  const { id, here } = where(context);
  await releaseListing(context.db, id);
  return redirect(here, 303);
}

/** What the forms of a listing under review ask for, by their intent. */
export const reviewActions = {
  approve: deciding("approve"),
  "request-changes": deciding("request-changes"),
  reject: deciding("reject"),
  flag: deciding("flag"),
  archive: deciding("archive"),
  reopen: deciding("reopen"),
  skip: (context: Context) => goOn(context, (last) => (last ? { tone: "info", text: LAST } : null)),
  undo: takeBack,
  claim: claiming(false),
  takeOver: claiming(true),
  release: letGo,
};
