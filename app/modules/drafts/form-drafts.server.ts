import type { TypedResponse } from "@remix-run/node";

import { isFieldValue, type FieldValue } from "~/components/forms/form-state";
import { HttpError } from "~/http/errors.server";
import { redirectWithFlash } from "~/http/flash.server";
import { readField } from "~/http/form.server";
import { explainRefusal } from "~/http/refusals.server";
import type { RouteContext } from "~/http/route.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { saveDraft } from "~/modules/listings/drafts.server";
import { LISTING_REFUSALS } from "~/modules/listings/refusals";
import { isUuid } from "~/text/uuid";

import { CONTINUE, DISCARD_DRAFT, toDraftUrl } from "./draft-links";

/** The fields of a form as they were typed, by name. */
type DraftFields = Record<string, FieldValue>;

/** What was typed into a form and not submitted. */
export interface FormDraft {
  savedAt: string;
  fields: DraftFields;
}

/** Fields that a form sends but that say nothing about what it is for. */
const NOT_STORED = new Set(["csrf", "intent"]);

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

/**
 * Stores what was typed into a form, in place of the caller's earlier draft of it. It is not validated.
 * @param page the path of the form, such as "/listings/3"
 * @throws DataError "refused" with a code: longer than 64 KB, or a 21st draft
 */
async function saveFormDraft(db: Db, page: string, form: FormData): Promise<void> {
  unwrap(
    await db
      .from("listing_drafts")
      .upsert({ form: page, fields: readDraftFields(form) }, { onConflict: "owner,form" })
      .select("id"),
  );
}

/**
 * Stores a form while someone types into it.
 * @param page the path of the form; null for a new listing
 * @param id the submission_id of a new listing
 * @throws DataError "refused" with a code, as saveFormDraft and saveDraft do
 */
export async function saveTypedForm(
  db: Db,
  form: FormData,
  { page, id }: { page: string | null; id: string },
): Promise<void> {
  if (page === null && !isUuid(id))
    throw new HttpError(400, "This can’t be saved as a draft", "It has no id to save it under.");
  if (page === null) await saveDraft(db, id, readDraftFields(form), { expires: true });
  else await saveFormDraft(db, page, form);
}

/** Deletes the caller's draft of a form. Idempotent. */
async function discardFormDraft(db: Db, page: string): Promise<void> {
  unwrap(await db.from("listing_drafts").delete().eq("form", page));
}

/** A list in any order, and text with any white space. */
const toComparable = (value: FieldValue | undefined) =>
  [value ?? ""]
    .flat()
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter((one) => one !== "")
    .sort()
    .join("\n");

/** The caller's draft of a form; null when there is none. @param page the path of the form */
export async function findFormDraft(db: Db, page: string): Promise<FormDraft | null> {
  const answer = await db
    .from("listing_drafts")
    .select("fields, updated_at")
    .eq("form", page)
    .maybeSingle();
  unwrap(answer);
  if (!answer.data) return null;
  const fields = Object.fromEntries(
    Object.entries(answer.data.fields as Record<string, unknown>).filter(
      (entry): entry is [string, FieldValue] => isFieldValue(entry[1]),
    ),
  );
  return { savedAt: answer.data.updated_at, fields };
}

interface OfferOptions<R> {
  /** The path of the form. */
  page: string;
  /** The form's values without the draft. One that is the same as these is not offered. */
  saved: Readonly<Record<string, FieldValue>>;
  url: URL;
  toResult: (fields: DraftFields) => R;
}

/** What a page has to do with the draft of its form. */
export interface OpenDraft<R> {
  page: string;
  /** When the draft that is offered was saved; null when none is. */
  offered: string | null;
  /** The draft that the user chose to continue with, as the result of a form. */
  continued: R | null;
  /** Where a draft is stored while someone types; undefined while an earlier one is offered. */
  saveUrl: `/${string}` | undefined;
}

/** What a page offers of the draft of its form, or continues with when the user chose to. */
export function offerDraft<R>(
  draft: FormDraft | null,
  { page, saved, url, toResult }: OfferOptions<R>,
): OpenDraft<R> {
  const none = { page, offered: null, continued: null, saveUrl: toDraftUrl(page) };
  const isChanged = (name: string) =>
    toComparable(draft?.fields[name]) !== toComparable(saved[name]);
  if (!draft || !Object.keys(saved).some(isChanged)) return none;
  return url.searchParams.has(CONTINUE)
    ? { ...none, continued: toResult(draft.fields) }
    : { ...none, offered: draft.savedAt, saveUrl: undefined };
}

/**
 * Deletes the draft of a form that was submitted. When that fails the form is submitted all the same, and the
 * draft expires.
 */
export async function deleteSubmittedDraft(
  { db, log }: Pick<RouteContext<"signed in">, "db" | "log">,
  page: string,
): Promise<void> {
  try {
    await discardFormDraft(db, page);
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
    await discardFormDraft(db, page);
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
export const explainDraftRefusal = (error: unknown): string | null =>
  error instanceof DataError && error.failure === "refused"
    ? explainRefusal(error, LISTING_REFUSALS)
    : null;
