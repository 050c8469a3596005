import type { Db } from "~/integrations/supabase/clients.server";
import { dataOf } from "~/integrations/supabase/data.server";

import { claimState } from "./rules";

const MOST = 500;

/**
 * The listings on somebody's dashboard: their own, and those that wait for them to claim (no owner,
 * and their confirmed e-mail address as owner_email). One call, by name.
 */
export async function listingsOf(db: Db, person: { id: string; email: string }) {
  const email = `"${person.email.replaceAll(/["\\]/g, "\\$&")}"`;
  const rows = dataOf(
    await db
      .from("places_with_stats")
      .select("id, name, city, state, status, premium, premium2, owner, owner_email")
      .or(`owner.eq.${person.id},and(owner.is.null,owner_email.eq.${email})`)
      .order("name")
      .order("id")
      .limit(MOST),
  );
  return rows.map(({ owner, owner_email, ...listing }) => ({ ...listing, type: claimState({ owner, owner_email }, person) }));
}
