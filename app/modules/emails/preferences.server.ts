import { createServiceClient, type Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { OPTIONAL_EMAIL_KINDS, isOnByDefault, type OptionalEmailKind } from "./optional-emails";

/** The kinds of e-mails that the caller gets. One call. Throws DataError. */
export async function getEmailPreferences(db: Db): Promise<OptionalEmailKind[]> {
  const rows = unwrap(await db.from("notice_choices").select("kind, wanted"));
  const said = new Map(rows.map(({ kind, wanted }) => [kind, wanted]));
  return OPTIONAL_EMAIL_KINDS.filter((kind) => said.get(kind) ?? isOnByDefault(kind));
}

/** Keeps which of them the caller wants; all others they do not. Throws DataError. */
export async function saveEmailPreferences(
  db: Db,
  person: string,
  wanted: readonly string[],
): Promise<void> {
  const rows = OPTIONAL_EMAIL_KINDS.map((kind) => ({
    user_id: person,
    kind,
    wanted: wanted.includes(kind),
  }));
  const { error, status } = await db
    .from("notice_choices")
    .upsert(rows, { onConflict: "user_id,kind" });
  unwrap({ data: null, error, status });
}

/** Stops one kind for the person whom a signed link stands for. Safe to repeat. Throws DataError. */
export async function unsubscribe(person: string, kind: OptionalEmailKind): Promise<void> {
  const { error, status } = await createServiceClient().rpc("stop_notices", { person, kind });
  unwrap({ data: null, error, status });
}
