import { z } from "zod";

import type { BadgeTone } from "~/components/ui/badge";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { getDashboardPage } from "~/modules/listings/dashboard.server";
import { readBadge } from "~/modules/listings/listing-badge";

const task = z.object({
  kind: z.enum([
    "payment-failed",
    "changes-requested",
    "incomplete",
    "job-expiring",
    "unpaid-job",
    "new-leads",
    "to-claim",
  ]),
  count: z.number(),
  id: z.number(),
  name: z.string(),
  at: z.string(),
  /** Of jobs whose listing isn't public or isn't theirs. (Absent from a database of the previous release.) */
  unpayable: z.boolean().default(false),
});
/**
 * Things of one kind that wait for the user: how many, and the id and name of the first. `at` is
 * when the first one happened, or will.
 */
export type Task = z.infer<typeof task>;

const home = z
  .object({
    supporter: z.boolean(),
    // (Absent from a database of the previous release.)
    first_month: z.boolean().default(true),
    needs: z.array(task),
  })
  .transform(({ supporter, first_month: hasFirstMonth, needs }) => ({
    supporter,
    hasFirstMonth,
    tasks: needs,
  }));
/**
 * Whether the user has a Featured listing, or else whether the first month of one has its lower price for them, and
 * their tasks, most urgent first.
 */
type Home = z.infer<typeof home>;

/** One database call. @throws DataError */
export async function getHome(db: Db): Promise<Home> {
  return callFunction(db, "my_home", {}, home);
}

const LISTINGS_ON_HOME = 3;

/** One of the first listings of the user's dashboard, or one of their drafts. */
export type HomeListing =
  | { id: number; name: string; place: string; badge: { tone: BadgeTone; label: string } }
  | { draft: string; name: string };

/** The first listings and drafts of a user's dashboard, and how many there are. One database call. @throws DataError */
export async function getFirstListings(
  db: Db,
  userId: string,
): Promise<{ rows: HomeListing[]; all: number }> {
  const { rows, all } = await getDashboardPage(
    db,
    userId,
    { search: "", show: null, page: 1 },
    LISTINGS_ON_HOME,
  );
  return {
    all,
    rows: rows.map((row) =>
      "draft" in row
        ? { draft: row.draft, name: row.name }
        : { id: row.id, name: row.name, place: row.place, badge: readBadge(row.badge) },
    ),
  };
}
