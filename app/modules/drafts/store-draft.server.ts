import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import type { Json } from "~/integrations/supabase/database.types";

/** There is a draft of the same form that another form made, or that was continued in another tab since. */
export class OtherDraft extends Error {}

/** The tab that stored a draft last, as its row has it. */
const TAB = "fields->>tab";

interface Draft {
  fields: { [name: string]: Json };
  /** Whether it is deleted after a week. */
  expires?: boolean;
}

const updateDrafts = (db: Db, draft: Draft) => db.from("listing_drafts").update(draft);
type Drafts = ReturnType<typeof updateDrafts>;

interface Storing {
  /** What a new row has besides: the id of a new listing's form, or the page of another form. */
  key: { id: string } | { form: string };
  /** Narrows drafts to the one that has this key. */
  inItsPlace: (drafts: Drafts) => Drafts;
  /** Narrows drafts to those that the form made; left out if it makes no other than that with its key. */
  madeByIt?: (drafts: Drafts) => Drafts;
  /** The form's tab; null for one that was opened in the previous release. */
  tab: string | null;
  /** When the draft was saved that the form was opened with; null without one. */
  replaces: string | null;
}

/**
 * Stores what was typed into a form in place of its earlier draft, or of the one that it was opened with, unless that was
 * continued in another tab since.
 * @returns "kept" when the draft in its place is neither, and stays as it is
 * @throws DataError "refused" with a code: longer than 64 KB, a 21st draft, or its listing was submitted already
 */
export async function storeDraft(
  db: Db,
  draft: Draft,
  { key, inItsPlace, madeByIt = inItsPlace, tab, replaces }: Storing,
): Promise<"added" | "replaced" | "kept"> {
  const replaceAny = async (drafts: Drafts) => unwrap(await drafts.select("id")).length > 0;
  const replaceOwn = () => {
    const made = madeByIt(updateDrafts(db, draft));
    return replaceAny(tab === null ? made.is(TAB, null) : made.eq(TAB, tab));
  };
  if (await replaceOwn()) return "replaced";
  const added = await db.from("listing_drafts").insert({ ...key, ...draft });
  if (added.error?.code !== "23505") {
    unwrap(added);
    return "added";
  }
  // The same form may have been stored twice at once.
  if (await replaceOwn()) return "replaced";
  if (replaces === null) return "kept";
  const seen = inItsPlace(updateDrafts(db, draft)).eq("updated_at", replaces);
  return (await replaceAny(seen)) ? "replaced" : "kept";
}
