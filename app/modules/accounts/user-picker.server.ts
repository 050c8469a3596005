import { z } from "zod";

import { readField } from "~/http/form.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { parseSearchText } from "~/text/search-text";
import { parseUuid } from "~/text/uuid";

import type { UserSummary } from "./user-picker";

const MAX_FOUND = 10;

const foundUsers = z.array(
  z.object({
    id: z.string(),
    full_name: z.string().nullable(),
    email: z.string().nullable(),
    pronouns: z.string().nullable(),
    created_at: z.string(),
    confirmed: z.boolean(),
    has_address: z.boolean(),
  }),
);

/**
 * Finds users by name, email address, or id, the newest first. For admins. Their email addresses
 * are masked.
 * @throws DataError
 */
async function searchUsers(db: Db, searchText: string): Promise<UserSummary[]> {
  const rows = await callFunction(
    db,
    "search_users",
    { words: searchText, page_rows: MAX_FOUND },
    foundUsers,
  );
  return rows.map(({ id, full_name, email, pronouns, created_at, confirmed, has_address }) => ({
    id,
    name: full_name,
    email,
    pronouns,
    since: created_at,
    confirmed,
    hasAddress: has_address,
  }));
}

/**
 * The users found for the search text of a form with a UserPicker; undefined without a search.
 * Every response that shows the form again needs them, not only the response to "Find person".
 * @param name the field of the UserPicker
 * @throws DataError
 */
export async function findUsersForForm(
  db: Db,
  form: FormData,
  name = "owner",
): Promise<UserSummary[] | undefined> {
  const searchText = parseSearchText(readField(form, `${name}_search`));
  return searchText === "" ? undefined : searchUsers(db, searchText);
}

/** What was selected in a UserPicker: nothing (the form had none), no one, or a user. */
export type PickedUser = { kind: "unchanged" } | { kind: "none" } | { kind: "user"; id: string };

/** Reads what was selected in a UserPicker. A malformed id is "unchanged". */
export function readPickedUser(form: FormData, name = "owner"): PickedUser {
  if (!form.has(name)) return { kind: "unchanged" };
  const selected = readField(form, name);
  if (selected === "") return { kind: "none" };
  const id = parseUuid(selected);
  return id === null ? { kind: "unchanged" } : { kind: "user", id };
}
