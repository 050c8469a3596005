import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/**
 * Whether a user is the only admin: the database refuses to delete that account
 * (`private.is_last_admin`). Check this first where something outside the database would happen
 * before the database refuses.
 * @param db the server's own access: other users do not see who the admins are
 * @throws DataError
 */
export async function isOnlyAdmin(db: Db, userId: string): Promise<boolean> {
  const admins = unwrap(await db.from("profiles").select("id").eq("admin", true).limit(2));
  return admins.length === 1 && admins[0]!.id === userId;
}
