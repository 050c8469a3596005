import { redirect } from "@remix-run/node";
import { z } from "zod";

import { HttpError } from "~/http/errors.server";
import { readField, parseForm, formErrorResponse } from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";

import { changeRequestSchema } from "./change-request.server";
import { decisionOf } from "./decision-rules";
import { batchId, decide, undo } from "./decisions.server";
import { listingsFilter } from "./listings-filter";

/** 404: of a choice that was never there, of one that has lapsed, and of another admin's. */
export const noSuchChoice = () =>
  new HttpError(
    404,
    "There is no such choice of listings",
    "It may have lapsed: what is not decided on is kept for an hour. Please choose the listings again.",
  );

/** Does what a form asks of a choice, and shows what came of it; what the database refuses comes back in its words. */
async function settle(
  { form, params, url }: ActionContext<"admin">,
  act: (batch: string) => Promise<unknown>,
) {
  const batch = batchId(params.batch);
  if (batch === null) throw noSuchChoice();
  try {
    await act(batch);
  } catch (error) {
    if (!(error instanceof DataError) || error.code !== "P0001") throw error;
    if (error.details === "lapsed") throw noSuchChoice();
    return formErrorResponse(parseForm(form, z.unknown()), {
      errors: { "": [error.message] },
      status: 409,
    });
  }
  return redirect(paths.adminDecision(batch, listingsFilter(url.searchParams)), 303);
}

/** Decides on a choice, or goes on deciding on it. */
export async function decideOnChoice(context: ActionContext<"admin">) {
  const { db, form } = context;
  const action = decisionOf(readField(form, "action"));
  if (action === null)
    return formErrorResponse(parseForm(form, z.unknown()), {
      errors: { "": ["Choose what to do with these listings."] },
    });
  if (action !== "request-changes" || form.has("decided_reason")) {
    return settle(context, (batch) =>
      decide(db, batch, action, readField(form, "decided_reason") || null),
    );
  }
  const submission = parseForm(form, changeRequestSchema);
  if (submission.status !== "success") return formErrorResponse(submission);
  return settle(context, (batch) => decide(db, batch, action, submission.value));
}

/** Takes back what was decided on a choice. */
export const undoChoice = (context: ActionContext<"admin">) =>
  settle(context, (batch) => undo(context.db, batch));
