import { isFieldValue, type FieldValue } from "~/components/forms/form-state";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";
import { OtherDraft, storeDraft } from "~/modules/drafts/store-draft.server";
import { isUuid } from "~/text/uuid";

/** A new listing that was not submitted yet: its form as typed. */
interface ListingDraft {
  /** Also the submission_id of the form: the draft is deleted when its listing is submitted. */
  id: string;
  fields: Record<string, FieldValue>;
  updatedAt: string;
}

/** Fields that a form sends but no one typed. */
const NOT_TYPED = new Set([
  "csrf",
  "intent",
  "submission_id",
  "version",
  "opened",
  "tab",
  "replaces",
]);

/** The fields that someone filled in: text and lists of text that are not empty. */
function getTypedFields(fields: Readonly<Record<string, unknown>>): Record<string, FieldValue> {
  const typed = Object.entries(fields).filter(
    (entry): entry is [string, FieldValue] =>
      !NOT_TYPED.has(entry[0]) && isFieldValue(entry[1]) && entry[1].length > 0,
  );
  return Object.fromEntries(typed);
}

interface DraftOptions {
  expires?: boolean;
  tab?: string | null;
  replaces?: string | null;
}

/**
 * Stores the form of a new listing as typed, without validating it. Saving under the same id again
 * replaces the draft, unless it was continued in another tab since.
 * @param id the form's submission_id
 * @param fields by name, as posted; tokens and empty fields are left out
 * @param options `expires`: whether it is deleted after a week, unless it is saved again without this. `tab`: the
 *   form's, null for one that was opened in the previous release. `replaces`: when the draft was saved that it
 *   was opened with
 * @throws DataError "refused" with a sentence for the user: longer than 64 KB, a 21st draft, or its
 *   listing was submitted already; "denied" for the id of another account's draft, without a `tab`
 * @throws OtherDraft
 */
export async function saveDraft(
  db: Db,
  id: string,
  fields: Readonly<Record<string, unknown>>,
  { expires = false, tab = null, replaces = null }: DraftOptions = {},
): Promise<void> {
  if (!isUuid(id)) throw new DataError("missing", "The id of a draft is a UUID.", "22P02");
  const draft = { fields: { ...getTypedFields(fields), ...(tab !== null && { tab }) }, expires };
  const stored = await storeDraft(db, draft, {
    key: { id },
    inItsPlace: (drafts) => drafts.eq("id", id).is("form", null),
    tab,
    replaces,
  });
  if (stored !== "kept") return;
  if (await getDraft(db, id)) throw new OtherDraft();
  if (tab === null || tab === id)
    throw new DataError("denied", "The draft is someone else’s.", "42501");
  // Back, on a computer that people share, leads to the address of someone else's form. This page then has a draft of its
  // own, under the page's id.
  await saveDraft(db, tab, fields, { expires, tab });
}

/** The caller's newest draft of a new listing, without what is in it; null when there is none. */
export async function findNewestDraft(
  db: Db,
): Promise<{ id: string; name: string; savedAt: string } | null> {
  const [row] = unwrap(
    await db
      .from("listing_drafts")
      .select("id, name:fields->>name, updated_at")
      .is("form", null)
      .order("updated_at", { ascending: false })
      .limit(1),
  );
  return row ? { id: row.id, name: row.name ?? "", savedAt: row.updated_at } : null;
}

/** A draft of the caller's by its id; null if they have no such draft. */
export async function getDraft(
  db: Db,
  id: string | null | undefined,
): Promise<ListingDraft | null> {
  if (!isUuid(id)) return null;
  const answer = await db
    .from("listing_drafts")
    .select("id, fields, updated_at")
    .eq("id", id)
    .is("form", null)
    .maybeSingle();
  unwrap(answer);
  if (!answer.data) return null;
  const { fields, updated_at } = answer.data;
  return {
    id: answer.data.id,
    fields: getTypedFields(fields as Record<string, unknown>),
    updatedAt: updated_at,
  };
}

/** Deletes a draft of the caller's. Idempotent. */
export async function discardDraft(db: Db, id: string): Promise<void> {
  if (!isUuid(id)) return;
  unwrap(await db.from("listing_drafts").delete().eq("id", id));
}
