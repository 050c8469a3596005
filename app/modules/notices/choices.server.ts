import { serviceClient, type Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { CHOOSABLE_KINDS, wantedByDefault, type ChoosableNotice } from "./choices";

/** The kinds of e-mails that the caller gets. One call. Throws DataError. */
export async function wantedNotices(db: Db): Promise<ChoosableNotice[]> {
  const rows = unwrap(await db.from("notice_choices").select("kind, wanted"));
  const said = new Map(rows.map(({ kind, wanted }) => [kind, wanted]));
  return CHOOSABLE_KINDS.filter((kind) => said.get(kind) ?? wantedByDefault(kind));
}

/** Keeps which of them the caller wants; all others they do not. Throws DataError. */
export async function chooseNotices(
  db: Db,
  person: string,
  wanted: readonly string[],
): Promise<void> {
  const rows = CHOOSABLE_KINDS.map((kind) => ({
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
export async function stopNotices(person: string, kind: ChoosableNotice): Promise<void> {
  const { error, status } = await serviceClient().rpc("stop_notices", { person, kind });
  unwrap({ data: null, error, status });
}
