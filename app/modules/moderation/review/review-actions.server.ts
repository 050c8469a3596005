import { randomUUID } from "node:crypto";

import { json, redirect } from "@remix-run/node";
import { z } from "zod";

import { redirectWithFlash, type Flash } from "~/http/flash.server";
import {
  buildFormResult,
  formErrorResponse,
  parseForm,
  readField,
  type FormErrorData,
} from "~/http/form.server";
import { paths } from "~/http/paths";
import type { ActionContext } from "~/http/route.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { parseUuid } from "~/text/uuid";
import { explainRefusal } from "~/http/refusals.server";
import { isolate } from "~/text/isolate";

import { approveOnce, decideListings } from "../decisions/batch.server";
import { explainDecisionCode, UNDONE_SINCE } from "../decisions/outcome-texts";
import { changeRequestSchema, rejectionSchema } from "../decisions/reason.server";
import { DECISION_LABELS, type Decision } from "../decisions/rules";
import { undoDecision } from "../decisions/undo.server";
import { parseFilter, queuePath, type ListingsFilter } from "../queue/filter";
import { noSuchListingToReview } from "./listing.server";
import { MODERATION_REFUSALS } from "../refusals";

/** The actions of one listing under review: its review page, and Approve in its details. */

type Context = ActionContext<"admin", { id: number }>;

/** What the review page gets when a decision was not made. */
export interface ReviewFormError extends FormErrorData {
  /** The batch id of the next attempt. */
  batch?: string;
  /** The form that was sent. */
  intent?: string;
}

/** The URL of the review page, and the filter of the queue that it was opened from. */
function readLocation({ params: { id }, url }: Context) {
  const filter = parseFilter(url.searchParams);
  return { filter, here: paths.adminReview(id, filter) };
}

function parseReason(form: FormData, decision: Decision) {
  if (decision === "request-changes") return parseForm(form, changeRequestSchema);
  if (decision === "reject") return parseForm(form, rejectionSchema);
  return parseForm(
    form,
    z.unknown().transform(() => null),
  );
}

const LAST = "You’ve reached the end of this queue.";

/** Opens the next listing of the queue, with the caller's review lock; at the end, the queue. */
async function openNext(context: Context, getFlash: (isLast: boolean) => Flash | null) {
  const { db, form, params } = context;
  const { filter } = readLocation(context);
  const next = await lockNextListing(db, filter, readField(form, "at"), params.id);
  const path = next === null ? queuePath(filter) : paths.adminReview(next, filter);
  const flash = getFlash(next === null);
  return flash ? redirectWithFlash(path, flash) : redirect(path, 303);
}

/**
 * Makes a decision on the version of the listing that the admin saw, then opens the next listing. A
 * form that is sent twice decides once.
 */
const decide = (decision: Decision) => async (context: Context) => {
  const { db, form, params } = context;
  const { here } = readLocation(context);
  const submission = parseReason(form, decision);
  const formError = (errors: Record<string, string[]>, status: 400 | 409) =>
    json<ReviewFormError>(
      { lastResult: buildFormResult(submission, errors), batch: randomUUID(), intent: decision },
      { status },
    );
  if (submission.status !== "success") return formError({}, 400);

  const batch = parseUuid(readField(form, "batch")) ?? randomUUID();
  try {
    const { counts, rows } = await decideListings(db, batch, decision, submission.value, [
      { id: String(params.id), version: readField(form, "version") },
    ]);
    if (counts.missing > 0) throw noSuchListingToReview();
    const [row] = rows;
    if (counts.undone > 0) return formError({ "": [UNDONE_SINCE] }, 409);
    if (counts.done === 0)
      return formError({ "": [row?.reason ?? ""] }, counts.stale > 0 ? 409 : 400);
    const done = `${DECISION_LABELS[decision].did}: “${isolate(row?.name ?? "")}”.`;
    return await openNext(context, (isLast) => ({
      tone: "success",
      text: [done, row?.warning, isLast ? LAST : null].filter(Boolean).join(" "),
      undo: { action: here, fields: { batch } },
    }));
  } catch (error) {
    if (!(error instanceof DataError) || error.reason === null) throw error;
    return formError({ "": [explainRefusal(error, MODERATION_REFUSALS)] }, 409);
  }
};

/** Undoes a decision of the caller's, and shows the listing. */
const undo = (context: Context) => undoDecision(context, readLocation(context).here);

/** Takes the review lock, and shows the listing as it is now: an admin may have read another version. */
const lock = (takeOver: boolean) => async (context: Context) => {
  const { db, form, params } = context;
  const { here } = readLocation(context);
  await lockListing(db, params.id, takeOver);
  const seen = readField(form, "version");
  const { version } = unwrap(
    await db.from("places").select("version").eq("id", params.id).single(),
  );
  // A page of the release before sends none.
  return seen === "" || seen === String(version)
    ? redirect(here, 303)
    : redirectWithFlash(here, {
        tone: "info",
        text: `${explainDecisionCode("listing_changed")} This is the new version.`,
      });
};

async function unlock(context: Context) {
  await unlockListing(context.db, context.params.id);
  return redirect(readLocation(context).here, 303);
}

/** The actions of the review page, by the intent of its forms. */
export const reviewActions = {
  approve: decide("approve"),
  "request-changes": decide("request-changes"),
  reject: decide("reject"),
  flag: decide("flag"),
  archive: decide("archive"),
  reopen: decide("reopen"),
  skip: (context: Context) =>
    openNext(context, (isLast) => (isLast ? { tone: "info", text: LAST } : null)),
  undo,
  claim: lock(false),
  takeOver: lock(true),
  release: unlock,
};

/** Approves the version of a listing that the admin saw in its details, and shows the result. */
export async function approveListing({ db, form, params, url, session }: Context) {
  const seen = { id: String(params.id), version: readField(form, "version") };
  const { batch, counts, rows } = await approveOnce(db, session.user, seen);
  if (counts.missing > 0) throw noSuchListingToReview();
  if (counts.done > 0)
    return redirect(paths.adminDecision(batch, parseFilter(url.searchParams)), 303);
  return formErrorResponse(parseForm(form, z.unknown()), {
    errors: { "": counts.undone > 0 ? [UNDONE_SINCE] : rows.map(({ reason }) => reason ?? "") },
    status: counts.undone + counts.stale > 0 ? 409 : 400,
  });
}

/* ---- The review lock ---- */

const lockSchema = z.object({ locked: z.boolean() }).nullable();

/**
 * Shows the other admins that the caller reviews a listing, for 15 minutes. It does not stop them
 * from making a decision.
 * @param takeOver also when another admin has the lock
 * @throws HttpError 404 when there is no such listing
 */
async function lockListing(db: Db, id: number, takeOver: boolean): Promise<void> {
  const result = await callFunction(
    db,
    "lock_listing_for_review",
    { id, take_over: takeOver },
    lockSchema,
  );
  if (!result) throw noSuchListingToReview();
}

/** Removes the caller's lock of a listing. Safe to repeat. */
async function unlockListing(db: Db, id: number): Promise<void> {
  unwrap(await db.rpc("release_review_lock", { id }));
}

const nextSchema = z.object({ id: z.number() }).nullable();

/**
 * Locks the next listing of a queue that no other admin reviews. Listings that can't be approved yet are
 * skipped: the queue's table has a way to complete each of them.
 * @param after the caller's position in the order of the queue
 * @param leaving the listing whose lock the caller no longer needs
 * @returns the listing's id; null at the end of the queue
 */
async function lockNextListing(
  db: Db,
  filter: ListingsFilter,
  after: string,
  leaving: number,
): Promise<number | null> {
  const args = { filter, after: after === "" ? null : after, leaving, approvable: true };
  const next = await callFunction(db, "lock_next_listing_for_review", args, nextSchema);
  return next?.id ?? null;
}
