import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { isOnByDefault, OPTIONAL_EMAIL_KINDS, type OptionalEmailKind } from "./optional-emails";

/** The optional emails that the caller gets. Throws DataError. */
export async function getEmailPreferences(db: Db): Promise<OptionalEmailKind[]> {
  const rows = unwrap(await db.from("email_preferences").select("kind, wanted"));
  const saved = new Map(rows.map(({ kind, wanted }) => [kind, wanted]));
  return OPTIONAL_EMAIL_KINDS.filter((kind) => saved.get(kind) ?? isOnByDefault(kind));
}

/**
 * Saves which optional emails the user gets; those not in `wanted` are turned off. Throws
 * DataError.
 */
export async function saveEmailPreferences(
  db: Db,
  userId: string,
  wanted: readonly string[],
): Promise<void> {
  const rows = OPTIONAL_EMAIL_KINDS.map((kind) => ({
    user_id: userId,
    kind,
    wanted: wanted.includes(kind),
  }));
  const { error, status } = await db
    .from("email_preferences")
    .upsert(rows, { onConflict: "user_id,kind" })
    .select("kind");
  unwrap({ data: null, error, status });
}

/** Turns one kind of email off for the user of an unsubscribe link. Throws DataError. */
export async function unsubscribe(userId: string, kind: OptionalEmailKind): Promise<void> {
  const db = createServiceClient();
  const { error, status } = await db.rpc("unsubscribe_from_emails", { user_id: userId, kind });
  unwrap({ data: null, error, status });
}
