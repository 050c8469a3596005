import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

/** Label to count, as the database's counters have it. */
export type Counts = Record<string, number>;

/** A listing that waits. */
export interface Waiting {
  id: number;
  name: string;
  since: string;
}

/** How the directory stands, and what waits since when. */
export interface Dashboard {
  places: Counts;
  users: { count: number };
  jobs: Counts;
  queues: Record<
    "new" | "pending-update" | "flagged" | "archive-requested",
    { count: number; oldest: Waiting | null }
  >;
  /** Since when feedback and reports have been open; null when none is. */
  feedback: { oldest: string | null };
  reports: { oldest: string | null };
  /** New listings and edits that have waited longest. */
  longest: (Waiting & { status: string })[];
}

/** All of the admins' dashboard, in one call. For admins. */
export async function adminDashboard(db: Db): Promise<Dashboard> {
  return unwrap(await db.rpc("review_dashboard")) as unknown as Dashboard;
}
