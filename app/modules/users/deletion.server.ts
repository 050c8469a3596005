import type { Log } from "~/http/log.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { endUserSubscriptions } from "~/modules/billing/end-subscriptions.server";

import { noSuchUser } from "./user-profile.server";

/** What deleting a user for good takes along, and what it leaves. */
export interface DeletionEffects {
  id: string;
  name: string | null;
  admin: boolean;
  /** Whether it is the admin who asks. */
  self: boolean;
  places: number;
  /** Featured listings that are paid for by a running subscription. */
  subscriptions: number;
  jobs: number;
  sponsorships: number;
  leads: number;
  favorites: number;
  feedback: number;
  reports: number;
}

/**
 * What would come of deleting this user. For admins.
 * @throws HttpError 404 when there is none
 */
export async function deletionEffects(db: Db, id: string | null): Promise<DeletionEffects> {
  const effects =
    id === null
      ? null
      : (unwrap(
          await db.rpc("deletion_effects", { person: id }),
        ) as unknown as DeletionEffects | null);
  if (!effects) throw noSuchUser();
  return effects;
}

/**
 * Deletes a user for good: what they pay for ends first, sessions end, listings and jobs stay without an owner.
 * Safe to repeat, also after it broke off half-way.
 * @param asker the admin who asks
 * @returns whether there was one
 * @throws DataError "refused", with a sentence for people, for oneself; PaymentUnavailable when what is paid for
 *   cannot be ended now: then nothing is deleted
 */
export async function deleteUser(db: Db, asker: string, id: string, log: Log): Promise<boolean> {
  // Nobody's subscriptions end who is not deleted after: the database refuses to delete oneself.
  if (id !== asker) await endUserSubscriptions(id, log);
  return unwrap(await db.rpc("admin_delete_user", { userid: id }));
}
