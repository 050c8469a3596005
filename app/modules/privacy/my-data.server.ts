import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/** One line of the record of what somebody agreed to. */
export interface Consent {
  channel: string;
  granted: boolean;
  text_version: string;
  page: string;
  at: string;
}

/** The caller's record of consents, the newest first, and when their account is to be deleted, if it is. */
export async function getPrivacyOverview(
  db: Db,
): Promise<{ consents: Consent[]; deletionDue: string | null }> {
  const [consents, due] = await Promise.all([
    db
      .from("consents")
      .select("channel, granted, text_version, page, at")
      .order("id", { ascending: false })
      .limit(200),
    db.rpc("my_deletion"),
  ]);
  return { consents: unwrap(consents), deletionDue: unwrap(due) };
}

/** Turns the caller's discreet mode on or off. */
export async function setDiscreet(db: Db, person: string, discreet: boolean): Promise<void> {
  unwrap(await db.from("profiles").update({ discreet }).eq("id", person));
}

/** Everything that is held about the caller, by table. Throws DataError. */
export async function exportMyData(db: Db): Promise<unknown> {
  return unwrap(await db.rpc("export_my_data"));
}

/** Asks for the caller's account to be deleted; gives when it will be. Throws DataError (refused, for the only admin). */
export async function requestDeletion(db: Db): Promise<string> {
  return unwrap(await db.rpc("request_my_deletion"));
}

/** Takes that back. */
export async function cancelDeletion(db: Db): Promise<void> {
  unwrap(await db.rpc("keep_my_account"));
}
