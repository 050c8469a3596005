import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

/** A consent that the caller gave or withdrew. */
export interface Consent {
  channel: string;
  granted: boolean;
  text_version: string;
  page: string;
  at: string;
}

/** The caller's consents, the newest first. Throws DataError. */
export async function listConsents(db: Db): Promise<Consent[]> {
  const consents = await db
    .from("consents")
    .select("channel, granted, text_version, page, at")
    .order("id", { ascending: false })
    .limit(200);
  return unwrap(consents);
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

/**
 * Withdraws the request.
 * @returns false when the deletion has begun, so that it can't be taken back
 * @throws DataError
 */
export async function cancelDeletion(db: Db): Promise<boolean> {
  try {
    unwrap(await db.rpc("cancel_account_deletion"));
    return true;
  } catch (error) {
    if (error instanceof DataError && error.reason === "deletion_begun") return false;
    throw error;
  }
}
