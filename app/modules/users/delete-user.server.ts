import { z } from "zod";

import type { Log } from "~/http/log.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { endUserSubscriptions } from "~/modules/billing/end-subscriptions.server";
import { triggerEmailDelivery } from "~/modules/emails/deliver-queue.server";
import { formatNumber } from "~/text/counts";

import { noSuchUser } from "./users.server";

/** How much the deletion of a user deletes, and how much stays without an owner. */
const effectsSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  admin: z.boolean(),
  /** Whether the user is the admin who asks. */
  self: z.boolean(),
  places: z.number(),
  /** Those that no one can find. (Absent from a database of the previous release.) */
  unseen_places: z.number().default(0),
  edited_places: z.number().default(0),
  /** Running subscriptions for Featured. */
  subscriptions: z.number(),
  jobs: z.number(),
  sponsorships: z.number(),
  feedback: z.number(),
  /**
   * Whether they get an email about it: not at an address that isn’t confirmed. (Absent from a database of the previous
   * release.)
   */
  mailed: z.boolean().default(true),
});
export type DeletionEffects = z.infer<typeof effectsSchema>;

/** What the deletion of a user would do; null when there is no such user. For admins. */
export const findDeletionEffects = (db: Db, id: string): Promise<DeletionEffects | null> =>
  callFunction(db, "deletion_effects", { user_id: id }, effectsSchema.nullable());

/**
 * What the deletion of a user would do, for a page about it.
 * @throws HttpError 404 when there is no such user
 */
export async function getDeletionEffects(db: Db, id: string): Promise<DeletionEffects> {
  const effects = await findDeletionEffects(db, id);
  if (!effects) throw noSuchUser();
  return effects;
}

const toSeen = ({ id: _, name: __, self: ___, mailed: ____, ...effects }: DeletionEffects) =>
  effects;

/** The effects that an admin has seen, as the form of the deletion sends them. Pure. */
export const toSeenEffects = (effects: DeletionEffects): string =>
  Object.values(toSeen(effects)).join(" ");

/**
 * What has changed since an admin saw the effects; null when nothing has. A deletion that fails halfway has ended plans,
 * and says so when it's sent again, since otherwise nothing was done. Pure.
 */
export function explainChangedEffects(seen: string, effects: DeletionEffects): string | null {
  if (toSeenEffects(effects) === seen) return null;
  // The same effects with the plans that were seen: nothing else has changed.
  const plans = Number(seen.split(" ")[Object.keys(toSeen(effects)).indexOf("subscriptions")]);
  const ended = plans - effects.subscriptions;
  if (!(ended > 0)) return CHANGED;
  const others = toSeenEffects({ ...effects, subscriptions: plans }) !== seen;
  const confirm = others
    ? ", and more has changed. The account wasn’t deleted. Check what deleting it does now, and confirm it again."
    : ". The account wasn’t deleted. Confirm it again to delete it.";
  return `${describeEndedPlans(ended, plans)} since you opened the page${confirm}`;
}

const CHANGED =
  "This account has changed since you opened the page. Nothing was deleted. Check what deleting it does now.";

/** "1 of this user’s 2 Featured plans has ended" */
function describeEndedPlans(ended: number, plans: number): string {
  if (plans === 1) return "This user’s Featured plan has ended";
  if (ended === plans) return `This user’s ${formatNumber(plans)} Featured plans have ended`;
  return `${formatNumber(ended)} of this user’s ${formatNumber(plans)} Featured plans ${ended === 1 ? "has" : "have"} ended`;
}

/**
 * Deletes a user permanently: their subscriptions and sessions end, and their listings and jobs stay
 * without an owner. Safe to repeat, also when it failed halfway.
 * @param adminId the admin who asks
 * @returns whether the user existed
 * @throws DataError "refused", with a sentence, when the admin asks to delete their own account;
 *   PaymentUnavailable when a subscription cannot be ended now: others may have ended, and nothing else is deleted
 */
export async function deleteUser(db: Db, adminId: string, id: string, log: Log): Promise<boolean> {
  // The database does not delete the admin's own account, so their subscriptions must not end.
  if (id !== adminId)
    await endUserSubscriptions(id, "us", log, (subscription) => logPlanEnd(db, subscription));
  const deleted = unwrap(await db.rpc("admin_delete_user", { userid: id }));
  triggerEmailDelivery();
  return deleted;
}

/** The audit log says who ends a plan, also when the next one can't be ended, so that the user isn't deleted yet. */
async function logPlanEnd(db: Db, subscription: string): Promise<void> {
  const [order] = unwrap(
    await db.from("orders").select("id").eq("stripe_subscription_id", subscription).limit(1),
  );
  if (order) unwrap(await db.rpc("log_plan_end", { order_id: order.id }));
}
