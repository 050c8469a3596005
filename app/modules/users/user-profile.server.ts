import { HttpError } from "~/http/errors.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import type { ListedUser } from "./user-list.server";

/** One user, with what is theirs: 200 listings and jobs at most, and how many there are. */
export interface UserProfile extends ListedUser {
  postalcode: string | null;
  business_owner: boolean;
  places_count: number;
  places: {
    id: number;
    name: string;
    city: string | null;
    state: string | null;
    status: string;
    premium: boolean;
    proxi_id: string | null;
  }[];
  jobs_count: number;
  jobs: {
    id: number;
    title: string;
    published: boolean;
    paid: boolean;
    expiration_date: string | null;
    filled_at: string | null;
  }[];
}

/** 404, in the words of the directory. */
export const noSuchUser = () =>
  new HttpError(
    404,
    "No user exists",
    "There is no account with this id. It may have been deleted.",
  );

/**
 * A user as their page shows them, address and number masked. For admins.
 * @throws HttpError 404 when there is none
 */
export async function userProfile(db: Db, id: string | null): Promise<UserProfile> {
  const found =
    id === null
      ? null
      : (unwrap(await db.rpc("admin_user", { person: id })) as unknown as UserProfile | null);
  if (!found) throw noSuchUser();
  return found;
}
