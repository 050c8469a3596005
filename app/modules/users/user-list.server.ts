import type { Page, PagePosition } from "~/http/pagination";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { parseSearchText } from "~/text/search-text";

/** As many users as a page of the list holds. */
const PAGE_ROWS = 100;

/** A user as the list shows them: address and number masked. */
export interface ListedUser {
  id: string;
  name: string | null;
  pronouns: string | null;
  phone: string | null;
  email: string | null;
  opted_in: boolean;
  sms_opted_in: boolean;
  supporter: boolean;
  favorites: number;
  admin: boolean;
  created_at: string;
}

/** Whom the list is narrowed down to: words of the name and of the e-mail address; empty for all. */
export interface UserFilter {
  name: string;
  email: string;
}

/** Where somebody is reached, in full. */
export interface Contact {
  id: string;
  email: string | null;
  phone: string | null;
}

export function userFilter(params: URLSearchParams): UserFilter {
  return { name: parseSearchText(params.get("name")), email: parseSearchText(params.get("email")) };
}

/** A page of the users, the newest first, and how many there are in all. One call; for admins. */
export async function usersPage(db: Db, filter: UserFilter, place: PagePosition, rows = PAGE_ROWS) {
  const page = unwrap(await db.rpc("admin_users", { ...filter, ...place, page_rows: rows }));
  return page as unknown as Page<ListedUser> & { total: number };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id of a user from an address or a form, or null. */
export function userId(text: string | undefined): string | null {
  return text !== undefined && UUID.test(text) ? text.toLowerCase() : null;
}

/**
 * The e-mail address and telephone number of a user, in full. That an admin asked for them is logged.
 * @returns null when there is no such user
 */
export async function revealContact(db: Db, id: string | null): Promise<Contact | null> {
  return id === null
    ? null
    : (unwrap(await db.rpc("reveal_contact", { person: id })) as unknown as Contact | null);
}
