import { z } from "zod";

import { parseRowId } from "~/text/row-id";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { planOf } from "./catalogue";
import type { PlanId } from "./item";

const NO_LISTING = "Please select a listing to be featured!";
const NO_PLAN = "Please choose one of the plans.";

/** What the upgrade form sends. The price is never in it: it follows from the plan. */
export const upgradeSchema = z.object({
  place: z
    .string({ error: NO_LISTING })
    .transform(parseRowId)
    .pipe(z.number({ error: NO_LISTING })),
  plan: z.custom<PlanId>((id) => planOf(id) !== undefined, NO_PLAN),
});

/** A listing that its owner can have featured. */
export interface Upgradable {
  id: number;
  name: string;
  /** Where it is, to tell listings of one name apart. */
  where: string;
}

/**
 * Somebody's own listings that are not Featured, by name, and how many are. Those that were taken out of the directory
 * are left out: nobody would see them.
 * @throws DataError
 */
export async function upgradableListings(
  db: Db,
  owner: string,
): Promise<{ listings: Upgradable[]; featured: number }> {
  const rows = unwrap(
    await db
      .from("places")
      .select("id, name, city, state, premium")
      .eq("owner", owner)
      .neq("status", "archived")
      .order("name")
      .order("id"),
  );
  return {
    listings: rows
      .filter(({ premium }) => !premium)
      .map(({ id, name, city, state }) => ({
        id,
        name,
        where: [city, state].filter(Boolean).join(", "),
      })),
    featured: rows.filter(({ premium }) => premium).length,
  };
}
