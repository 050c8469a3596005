import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { isOnlyAdmin } from "./only-admin.server";

/** A consent that the caller gave or withdrew. */
export interface Consent {
  channel: string;
  granted: boolean;
  text_version: string;
  page: string;
  at: string;
}

/**
 * The caller's consents, the newest first, and when their account will be deleted, if it will be; and
 * whether they are the only admin, whose deletion waits until there is another. Throws DataError.
 */
export async function getPrivacyOverview(
  db: Db,
  user: { id: string; admin: boolean },
): Promise<{ consents: Consent[]; deletionDue: string | null; onlyAdmin: boolean }> {
  const [consents, due, onlyAdmin] = await Promise.all([
    db
      .from("consents")
      .select("channel, granted, text_version, page, at")
      .order("id", { ascending: false })
      .limit(200),
    db.rpc("my_deletion"),
    user.admin && isOnlyAdmin(db, user.id),
  ]);
  return { consents: unwrap(consents), deletionDue: unwrap(due), onlyAdmin };
}

/** Turns the user's discreet mode on or off. Throws DataError. */
export async function setDiscreet(db: Db, userId: string, discreet: boolean): Promise<void> {
  unwrap(await db.from("profiles").update({ discreet }).eq("id", userId));
}

/** All data about the caller, by part (docs/mobile-app.md lists them). Throws DataError. */
export async function exportMyData(db: Db): Promise<unknown> {
  return unwrap(await db.rpc("export_my_data"));
}

/**
 * Requests the deletion of the caller's account.
 * @throws DataError, `refused` for the only admin
 */
export async function requestDeletion(db: Db): Promise<void> {
  unwrap(await db.rpc("request_my_deletion"));
}

/** Withdraws the request. Throws DataError. */
export async function cancelDeletion(db: Db): Promise<void> {
  unwrap(await db.rpc("cancel_account_deletion"));
}
