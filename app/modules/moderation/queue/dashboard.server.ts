import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";

const waitingSchema = z.object({ id: z.number(), name: z.string(), since: z.string() });
const queueSchema = z.object({ count: z.number(), oldest: waitingSchema.nullable() });

const dashboardSchema = z.object({
  places: z.object({
    new: z.number(),
    "pending-update": z.number(),
    flagged: z.number(),
    published: z.number(),
    archived: z.number(),
    premium: z.number(),
    "archive-requested": z.number(),
    total: z.number(),
  }),
  users: z.object({ count: z.number() }),
  jobs: z.object({
    total: z.number(),
    published: z.number(),
    unpaid: z.number(),
    unpublished: z.number(),
    expired: z.number(),
  }),
  queues: z.object({
    new: queueSchema,
    "pending-update": queueSchema,
    flagged: queueSchema,
    "archive-requested": queueSchema,
  }),
  /** The time of the oldest that is open; null when none is. */
  feedback: z.object({ oldest: z.string().nullable() }),
  reports: z.object({ oldest: z.string().nullable() }),
  /** The new listings and edits that have waited longest. */
  longest: z.array(waitingSchema.extend({ status: z.string() })),
});

/** How many listings, users, and jobs there are, and what waits for an admin. For admins. */
export async function getAdminDashboard(db: Db) {
  return callFunction(db, "review_dashboard", {}, dashboardSchema);
}
