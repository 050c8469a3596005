import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";

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
});
/**
 * Things of one kind that wait for the user: how many, and the id and name of the first. `at` is
 * when the first one happened, or will.
 */
export type Task = z.infer<typeof task>;

const home = z
  .object({ supporter: z.boolean(), needs: z.array(task) })
  .transform(({ supporter, needs }) => ({ supporter, tasks: needs }));
/** Whether the user has a Featured listing, and their tasks, most urgent first. */
type Home = z.infer<typeof home>;

/** One database call. @throws DataError */
export async function getHome(db: Db): Promise<Home> {
  return callFunction(db, "my_home", {}, home);
}
