import type { FieldValue } from "~/components/forms/form-state";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

/** A new listing that somebody has begun, as its form was typed. */
export interface ListingDraft {
  /** Also the form's one-submit token: the draft goes when a listing with this submission_id comes. */
  id: string;
  fields: Record<string, FieldValue>;
  updatedAt: string;
}

/** A draft as the dashboard lists it. The name is what was typed so far, which may be nothing. */
export interface DraftSummary {
  id: string;
  name: string;
  updatedAt: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** What a form sends that nobody typed. */
const NOT_TYPED = new Set(["csrf", "intent", "submission_id", "version"]);

/** Whether this can be a draft's id at all; anything else is the id of none. */
export function isDraftId(id: string | null | undefined): id is string {
  return typeof id === "string" && UUID.test(id);
}

/** What somebody typed, of everything a form holds: text and lists of text that are not empty. */
function typedFields(fields: Readonly<Record<string, unknown>>): Record<string, FieldValue> {
  const kept = Object.entries(fields).filter((entry): entry is [string, FieldValue] => {
    const [name, value] = entry;
    if (NOT_TYPED.has(name)) return false;
    return typeof value === "string"
      ? value !== ""
      : Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
  });
  return Object.fromEntries(kept);
}

/**
 * Keeps a new listing's form as it was typed, for finishing it later; saved again under its id, it is
 * kept as it is then. Nothing is judged.
 * @param id the form's submission_id
 * @param fields by name, as they were posted; tokens and what is empty are left out
 * @throws DataError "refused" with a sentence for the person: too long (64 KB), a 21st draft, or its
 *   listing was submitted already
 */
export async function saveDraft(
  db: Db,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (!isDraftId(id)) throw new DataError("missing", "That is the id of no draft.", "22P02");
  unwrap(await db.from("listing_drafts").upsert({ id, fields: typedFields(fields) }));
}

/** Somebody's own draft by its id; null when there is none, or none of theirs. */
export async function draftOf(db: Db, id: string | null | undefined): Promise<ListingDraft | null> {
  if (!isDraftId(id)) return null;
  const answer = await db
    .from("listing_drafts")
    .select("id, fields, updated_at")
    .eq("id", id)
    .maybeSingle();
  unwrap(answer);
  if (!answer.data) return null;
  const { fields, updated_at } = answer.data;
  return {
    id: answer.data.id,
    fields: typedFields(fields as Record<string, unknown>),
    updatedAt: updated_at,
  };
}

/** Everything somebody has begun and not finished, the last touched first. Twenty at most. */
export async function draftsOf(db: Db): Promise<DraftSummary[]> {
  const rows = unwrap(
    await db
      .from("listing_drafts")
      .select("id, name:fields->>name, updated_at")
      .order("updated_at", { ascending: false })
      .order("id"),
  );
  return rows.map(({ id, name, updated_at }) => ({
    id,
    name: (name as string | null) ?? "",
    updatedAt: updated_at,
  }));
}

/** Throws a draft of one's own away. Done twice, it is the same. */
export async function discardDraft(db: Db, id: string): Promise<void> {
  if (!isDraftId(id)) return;
  unwrap(await db.from("listing_drafts").delete().eq("id", id));
}
