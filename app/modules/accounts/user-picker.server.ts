import { readField } from "~/http/form.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { parseSearchText } from "~/text/search-text";

import type { UserSummary } from "./user-picker";

const MOST_FOUND = 10;

/**
 * The people found by name, by e-mail address or by id, the newest first. For admins.
 * Every word is taken literally; their e-mail addresses come masked.
 * @throws DataError
 */
async function findPeople(db: Db, typed: string): Promise<UserSummary[]> {
  const words = parseSearchText(typed);
  if (words === "") return [];
  const rows = unwrap(await db.rpc("search_people", { words, page_rows: MOST_FOUND })) as {
    id: string;
    full_name: string | null;
    email: string | null;
    pronouns: string | null;
    created_at: string;
  }[];
  return rows.map(({ id, full_name, email, pronouns, created_at }) => ({
    id,
    name: full_name,
    email,
    pronouns,
    since: created_at,
  }));
}

/** The field that a PersonControl's search text is sent in, beside the choice itself. */
const searchField = (name: string) => `${name}_search`;

/**
 * Who is found for the search text in a form with a PersonControl; undefined when nobody was looked for.
 * Needed whenever the form is given back, not only for "Find person": the people to choose from go with it.
 */
export async function findUsersForForm(
  db: Db,
  form: FormData,
  name = "owner",
): Promise<UserSummary[] | undefined> {
  const words = parseSearchText(readField(form, searchField(name)));
  return words === "" ? undefined : findPeople(db, words);
}

/** What a form with a PersonControl says: nothing (the control was not there), nobody, or somebody's id. */
export type PickedUser =
  { kind: "unchanged" } | { kind: "nobody" } | { kind: "person"; id: string };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the person chosen in a form; what is no id of anybody changes nothing. */
export function readPickedUser(form: FormData, name = "owner"): PickedUser {
  if (!form.has(name)) return { kind: "unchanged" };
  const chosen = readField(form, name);
  if (chosen === "") return { kind: "nobody" };
  return UUID.test(chosen) ? { kind: "person", id: chosen.toLowerCase() } : { kind: "unchanged" };
}
