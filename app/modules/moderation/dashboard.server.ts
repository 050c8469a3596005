import type { Db } from "~/integrations/supabase/clients.server";
import { dataOf } from "~/integrations/supabase/data.server";

/** Label to count, as the database's counters have it. */
export type Counts = Record<string, number>;

/** How many listings (by status), users and jobs there are. For admins alone; one round trip. */
export async function directoryCounts(db: Db): Promise<{ places: Counts; users: number; jobs: Counts }> {
  const [places, users, jobs] = await Promise.all([
    db.rpc("get_places_counts"),
    db.rpc("get_user_counts"),
    db.rpc("get_jobs_counts"),
  ]);
  return { places: dataOf(places) as Counts, users: (dataOf(users) as { count: number }).count, jobs: dataOf(jobs) as Counts };
}
