import { redirect } from "@remix-run/node";
import { z } from "zod";

import { HttpError } from "~/http/errors.server";
import { formErrorResponse, parseForm, readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import { explainRefusal } from "~/http/refusals.server";

import { parseFilter } from "../queue/filter";
import { decideListings, undoDecisions } from "./batch.server";
import { changeRequestSchema } from "./reason.server";
import { parseDecision } from "./rules";
import { MODERATION_REFUSALS } from "../refusals";

type Context = ActionContext<"admin", { batch: string }>;

/** 404: the batch never existed, has expired, or is another admin's. */
export const noSuchBatch = () =>
  new HttpError(
    404,
    "Selection not found",
    "Selections expire after an hour. Please select the listings again.",
  );

/** Runs a change of a batch, then shows the batch. A refusal of the database returns the form. */
async function changeBatch(
  { form, params: { batch }, url }: Context,
  change: (batch: string) => Promise<unknown>,
) {
  try {
    await change(batch);
  } catch (error) {
    if (!(error instanceof DataError) || error.reason === null) throw error;
    if (error.reason === "batch_expired") throw noSuchBatch();
    return formErrorResponse(parseForm(form, z.unknown()), {
      errors: { "": [explainRefusal(error, MODERATION_REFUSALS)] },
      status: 409,
    });
  }
  return redirect(paths.adminDecision(batch, parseFilter(url.searchParams)), 303);
}

/** Decides on a batch, or continues with its next listings. */
export async function decideOnBatch(context: Context) {
  const { db, form } = context;
  const decision = parseDecision(readField(form, "action"));
  if (decision === null)
    return formErrorResponse(parseForm(form, z.unknown()), {
      errors: { "": ["Choose what to do with these listings."] },
    });
  // To continue, the form sends the reason of the listings that are already decided on.
  if (decision !== "request-changes" || form.has("decided_reason")) {
    const reason = readField(form, "decided_reason") || null;
    return changeBatch(context, (batch) => decideListings(db, batch, decision, reason));
  }
  const submission = parseForm(form, changeRequestSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  return changeBatch(context, (batch) => decideListings(db, batch, decision, submission.value));
}

/** Undoes the decision on a batch, or continues to undo it. */
export const undoBatch = (context: Context) =>
  changeBatch(context, (batch) => undoDecisions(context.db, batch));
