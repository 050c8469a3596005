import { randomUUID } from "node:crypto";

import type { TypedResponse } from "@remix-run/node";
import { z } from "zod";

import { firstValue, isFieldValue, type FieldValue } from "~/components/forms/form-state";
import { HttpError } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { makeFormId } from "~/http/form-id.server";
import { readField } from "~/http/form.server";
import { paths } from "~/http/paths";
import { explainRefusal } from "~/http/refusals.server";
import { findPostedForm } from "~/http/respond.server";
import type { RouteContext } from "~/http/route.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import type { Database } from "~/integrations/supabase/database.types";
import { discardDraft, saveDraft } from "~/modules/listings/drafts.server";
import { hasMadeJob } from "~/modules/jobs/job.server";
import { LISTING_REFUSALS } from "~/modules/listings/refusals";
import { isUuid, parseUuid } from "~/text/uuid";

import { CONTINUE, CORRECTS, DISCARD_DRAFT, toDraftUrl } from "./draft-links";
import { OtherDraft, storeDraft } from "./store-draft.server";

/** The fields of a form as they were typed, by name. */
type DraftFields = Record<string, FieldValue>;

/** What was typed into a form and not submitted. */
export interface FormDraft {
  /** The id of the form that made it: no other form replaces it, or deletes it when it is submitted. */
  id: string;
  savedAt: string;
  fields: DraftFields;
}

/** The id of the form that made a draft, as its row has it. */
const FORM_ID = "fields->>submission_id";

/** Fields that a form sends but that say nothing about what it is for. */
const NOT_STORED = new Set(["csrf", "intent", "replaces", CORRECTS]);

/** The fields of a posted form that have a value; those that were sent more than once as lists. */
function readDraftFields(form: FormData): DraftFields {
  const fields: DraftFields = {};
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name).filter((one) => typeof one === "string" && one !== "");
    if (NOT_STORED.has(name) || values.length === 0) continue;
    fields[name] = values.length === 1 ? (values[0] as string) : (values as string[]);
  }
  return fields;
}

/** The id of a form; "" for one that was opened in the previous release, which has none. */
const readFormId = (form: FormData) => parseUuid(readField(form, "submission_id")) ?? "";

/** What a form with drafts sends besides what is typed. */
export interface DraftTab {
  /** A draft may be continued on another device while its first form is still open: only the last of them replaces it. */
  tab: string;
  /** When the draft was saved that the form continues, or replaces without offering it; left out without one. */
  replaces?: string;
}

/** The tab of a page's form. It stays the same when the form comes back with errors. */
export function makeDraftTab(savedAt?: string): DraftTab {
  const posted = findPostedForm();
  const sent = posted && readDraftTab(posted);
  const replaces = sent?.tab ? (sent.replaces ?? undefined) : savedAt;
  return { tab: sent?.tab ?? randomUUID(), ...(replaces !== undefined && { replaces }) };
}

/** The same of a posted form; nulls for one that was opened in the previous release, or continues none. */
export function readDraftTab(form: FormData): { tab: string | null; replaces: string | null } {
  const replaces = readField(form, "replaces");
  const isTime = z.iso.datetime({ offset: true }).safeParse(replaces).success;
  return { tab: parseUuid(readField(form, "tab")), replaces: isTime ? replaces : null };
}

/** The page of a form as its draft names it. There may be many new jobs, each with the id in its URL. */
const toDraftPage = (page: string, id: string): string =>
  page === paths.newJob() && isUuid(id) ? paths.newJobDraft(id) : page;

/** The pages of all drafts of new jobs. (The previous release kept one, without its id.) */
const NEW_JOBS = `${paths.newJob()}%`;

/**
 * The form has made a job, and was opened before that. What it sent while someone typed has arrived
 * after the form itself.
 */
class AlreadySubmitted extends Error {}

const ALREADY_SUBMITTED =
  "You’ve already saved this job, so what you type isn’t saved as a draft. Saving again changes the job.";

const OTHER_DRAFT =
  "What you type isn’t saved as a draft, because you already have another draft of this form. You can still submit the form. Or open this page in a new tab, and continue with the other draft or discard it.";

/**
 * Stores what was typed into a form, in place of its earlier draft. It is not validated.
 * @param page the path of the form, such as "/listings/3"
 * @returns whether it had none
 * @throws DataError "refused" with a code: longer than 64 KB, or a 21st draft
 * @throws OtherDraft when the page has the draft of another form, such as one in another tab, or this one was continued
 *   in another tab
 */
async function saveFormDraft(db: Db, page: string, form: FormData): Promise<boolean> {
  const id = readFormId(form);
  const { tab, replaces } = readDraftTab(form);
  const fields = { ...readDraftFields(form), ...(id !== "" && { submission_id: id }) };
  const its = toDraftPage(page, id);
  const stored = await storeDraft(
    db,
    { fields },
    {
      key: { form: its },
      inItsPlace: (drafts) => drafts.eq("form", its),
      madeByIt: (drafts) => {
        const made = isUuid(id) ? drafts.eq(FORM_ID, id) : drafts.is(FORM_ID, null);
        return page === paths.newJob() ? made.like("form", NEW_JOBS) : made.eq("form", page);
      },
      tab,
      replaces,
    },
  );
  if (stored === "kept") throw new OtherDraft();
  return stored === "added";
}

/**
 * Stores a form while someone types into it.
 * @param page the path of the form; null for a new listing
 * @param id the submission_id of a new listing
 * @throws DataError "refused" with a code, as saveFormDraft and saveDraft do
 * @throws AlreadySubmitted for a new job that was saved meanwhile
 */
export async function saveTypedForm(
  db: Db,
  form: FormData,
  { page, id }: { page: string | null; id: string },
): Promise<void> {
  if (page === null && !isUuid(id))
    throw new HttpError(400, "This can’t be saved as a draft", "It has no id to save it under.");
  if (page === null)
    await saveDraft(db, id, readDraftFields(form), { ...readDraftTab(form), expires: true });
  else if ((await saveFormDraft(db, page, form)) && page === paths.newJob())
    await removeLateDraft(db, form);
}

/**
 * Removes the draft of a new job that was stored after its form was submitted, which deletes only what is there. (A form
 * that was opened again since, such as after Back, says so, and is stored.)
 * @throws AlreadySubmitted
 */
async function removeLateDraft(db: Db, form: FormData): Promise<void> {
  const id = readFormId(form);
  // This is checked once the draft is stored, because a form that is submitted after that deletes
  // it.
  if (id === "" || form.has(CORRECTS) || !(await hasMadeJob(db, id))) return;
  unwrap(await db.from("listing_drafts").delete().eq("form", paths.newJobDraft(id)));
  throw new AlreadySubmitted();
}

/**
 * Deletes the drafts that a form made, and no other. (It made two when it was typed into on two pages, after a
 * conflict.) Idempotent.
 * @param page the path of a form without an id; null for a new listing
 */
async function discardFormDraft(db: Db, page: string | null, form: FormData): Promise<void> {
  if (page === null) {
    // The one at the address of someone else's form (saveDraft). Its own has the id of the listing, with which it goes.
    const { tab } = readDraftTab(form);
    if (tab !== null) await discardDraft(db, tab);
    return;
  }
  const id = readFormId(form);
  const drafts = db.from("listing_drafts").delete();
  unwrap(
    await (isUuid(id)
      ? drafts.not("form", "is", null).eq(FORM_ID, id)
      : drafts.eq("form", page).is(FORM_ID, null)),
  );
}

/** A list in any order, and text with any white space. */
const toComparable = (value: FieldValue | undefined) =>
  [value ?? ""]
    .flat()
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter((one) => one !== "")
    .sort()
    .join("\n");

type Row = Pick<Database["public"]["Tables"]["listing_drafts"]["Row"], "fields" | "updated_at">;

function toFormDraft({ fields: stored, updated_at }: Row): FormDraft {
  const fields = Object.fromEntries(
    Object.entries(stored as Record<string, unknown>).filter(
      (entry): entry is [string, FieldValue] => isFieldValue(entry[1]),
    ),
  );
  return { id: firstValue(fields["submission_id"]) ?? "", savedAt: updated_at, fields };
}

/** The caller's draft of a page about something; null when there is none. @param page the path of the form */
export async function findFormDraft(db: Db, page: string): Promise<FormDraft | null> {
  const [row] = unwrap(
    await db.from("listing_drafts").select("fields, updated_at").eq("form", page),
  );
  return row ? toFormDraft(row) : null;
}

/** The caller's drafts of new jobs, the newest first. */
export async function listNewJobs(db: Db): Promise<FormDraft[]> {
  const rows = unwrap(
    await db
      .from("listing_drafts")
      .select("fields, updated_at")
      .like("form", NEW_JOBS)
      .order("updated_at", { ascending: false })
      // Two drafts of the same moment come in the same order each time.
      .order("form", { ascending: false }),
  );
  return rows.map(toFormDraft);
}

type SavedValues = Readonly<Record<string, FieldValue>>;

/** Whether a draft differs from what the form has without it. */
export const isChanged = ({ fields }: FormDraft, saved: SavedValues): boolean =>
  Object.keys(saved).some((name) => toComparable(fields[name]) !== toComparable(saved[name]));

interface OfferOptions<R> {
  /** The path of the form. */
  page: string;
  /** The form's values without the draft. One that is the same as these is not offered. */
  saved: SavedValues;
  url: URL;
  toResult: (fields: DraftFields) => R;
}

/** What a page has to do with the draft of its form. */
export interface OpenDraft<R> {
  page: string;
  /**
   * Hidden fields: the id of the page's form, which is that of the draft it continues, or one of
   * its own; and which draft it replaces: the one that it continues, or one that is the same as what is saved, and so
   * isn't offered.
   */
  ids: DraftTab & { submission_id: string };
  /** The draft that is offered beside the form; null when none is. */
  offered: Pick<FormDraft, "id" | "savedAt"> | null;
  /** The draft that the user chose to continue with, as the result of a form. */
  continued: R | null;
  /** Where a draft is stored while someone types; undefined while an earlier one is offered. */
  saveUrl: `/${string}` | undefined;
}

/** The draft that a page offers for its form, or continues with when the user chose to. */
export function offerDraft<R>(
  draft: FormDraft | null,
  { page, saved, url, toResult }: OfferOptions<R>,
): OpenDraft<R> {
  const none = {
    page,
    ids: { submission_id: makeFormId(), ...makeDraftTab() },
    offered: null,
    continued: null,
    saveUrl: toDraftUrl(page),
  };
  if (!draft) return none;
  const { id, savedAt, fields } = draft;
  if (!isChanged(draft, saved)) return { ...none, ids: { ...none.ids, ...makeDraftTab(savedAt) } };
  return url.searchParams.has(CONTINUE)
    ? { ...none, ids: { submission_id: id, ...makeDraftTab(savedAt) }, continued: toResult(fields) }
    : { ...none, offered: { id, savedAt }, saveUrl: undefined };
}

/**
 * Deletes the draft of a form that was submitted, but not one that another form made. When that
 * fails, the form counts as submitted all the same, and the draft expires.
 * @param page the path of the form; null for a new listing
 */
export async function deleteSubmittedDraft(
  { db, log, form }: Pick<RouteContext<"signed in">, "db" | "log"> & { form: FormData },
  page: string | null,
): Promise<void> {
  try {
    await discardFormDraft(db, page, form);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    log.warn({ failure: error.failure, code: error.code }, "draft could not be deleted");
  }
}

type DraftContext = Pick<RouteContext<"signed in">, "db"> & { form: FormData };

/**
 * The response to the buttons of a form that save or discard its draft.
 * @param page the path of the form
 * @param list where to go after saving
 * @param toResponse the form with the errors of a draft that can't be saved
 * @returns null for every other button
 */
export async function handleDraftButton<R extends Response>(
  { db, form }: DraftContext,
  page: string,
  list: string,
  toResponse: (errors: Record<string, string[]>) => R | Promise<R>,
): Promise<R | TypedResponse<never> | null> {
  const intent = readField(form, "intent");
  if (intent === DISCARD_DRAFT) {
    await discardFormDraft(db, page, form);
    return redirectWithFlash(page, "Draft discarded.");
  }
  if (intent !== "draft") return null;
  try {
    await saveFormDraft(db, page, form);
  } catch (error) {
    const sentence = explainDraftRefusal(error);
    if (sentence === null) throw error;
    return toResponse({ "": [sentence] });
  }
  return redirectWithFlash(
    list,
    "Draft saved. We’ll keep it for a week. Nothing else has changed.",
  );
}

/** Why a draft was refused, in a sentence; null for other failures. */
export function explainDraftRefusal(error: unknown): string | null {
  if (error instanceof OtherDraft) return OTHER_DRAFT;
  if (error instanceof AlreadySubmitted) return ALREADY_SUBMITTED;
  return error instanceof DataError && error.failure === "refused"
    ? explainRefusal(error, LISTING_REFUSALS)
    : null;
}
