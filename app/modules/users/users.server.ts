import { z } from "zod";

import { HttpError } from "~/http/errors.server";
import type { PagePosition } from "~/http/pagination";
import { pageSchema } from "~/http/pagination.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { parseSearchText } from "~/text/search-text";

/** How many rows a page of the list has. */
const PAGE_ROWS = 100;

/** 404, with the sentence of the directory. */
export const noSuchUser = () => new HttpError(404, "No user exists", "It may have been deleted.");

/** What a list shows of each user. Email addresses and phone numbers are masked. */
export const listedUserSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  pronouns: z.string().nullable(),
  phone: z.string().nullable(),
  email: z.string().nullable(),
  opted_in: z.boolean(),
  sms_opted_in: z.boolean(),
  supporter: z.boolean(),
  /** Rounded down to tens, so that no one who watches it learns who just saved a listing. */
  favorites: z.number(),
  admin: z.boolean(),
  created_at: z.string(),
  /** Whether they have shown that the address is theirs. Anyone can sign up with anyone's. */
  confirmed: z.boolean(),
});
export type ListedUser = z.infer<typeof listedUserSchema>;

const userPageSchema = pageSchema(listedUserSchema).extend({ total: z.number() });

/** The search of the list: words of the name and of the email address. Empty finds everyone. */
export interface UserFilter {
  name: string;
  email: string;
}

/** Reads the search from a URL. */
export function parseUserFilter(params: URLSearchParams): UserFilter {
  return { name: parseSearchText(params.get("name")), email: parseSearchText(params.get("email")) };
}

/** A page of the users that a search finds, the newest first, with the total. For admins. */
export async function listUsers(
  db: Db,
  filter: UserFilter,
  position: PagePosition,
  rows = PAGE_ROWS,
) {
  const args = { ...filter, ...position, page_rows: rows };
  return callFunction(db, "admin_users", args, userPageSchema);
}

const profileSchema = listedUserSchema.extend({
  postalcode: z.string().nullable(),
  business_owner: z.boolean(),
  /** At most 200 listings and 200 jobs, and how many there are. */
  places_count: z.number(),
  places: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      city: z.string().nullable(),
      state: z.string().nullable(),
      status: z.string(),
      premium: z.boolean(),
      hidden: z.boolean(),
      proxi_id: z.string().nullable(),
    }),
  ),
  jobs_count: z.number(),
  jobs: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      published: z.boolean(),
      paid: z.boolean(),
      expiration_date: z.string().nullable(),
      filled_at: z.string().nullable(),
      names_company: z.boolean(),
    }),
  ),
});
export type UserProfile = z.infer<typeof profileSchema>;

/**
 * A user with their listings and jobs. For admins.
 * @throws HttpError 404 when there is no such user
 */
export async function getUser(db: Db, id: string): Promise<UserProfile> {
  const user = await callFunction(db, "admin_user", { user_id: id }, profileSchema.nullable());
  if (!user) throw noSuchUser();
  return user;
}

const contactSchema = z.object({
  id: z.string(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
});
/** The email address and phone number of a user, not masked. */
export type Contact = z.infer<typeof contactSchema>;

/**
 * The email address and phone number of a user. The audit log records that an admin saw them.
 * @throws HttpError 404 when there is no such user
 */
export async function revealContact(db: Db, id: string): Promise<Contact> {
  const contact = await callFunction(
    db,
    "reveal_contact",
    { user_id: id },
    contactSchema.nullable(),
  );
  if (!contact) throw noSuchUser();
  return contact;
}
