import { z } from "zod";

import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";

const waitingSchema = z.object({ id: z.number(), name: z.string(), since: z.string() });
const queueSchema = z.object({ count: z.number(), oldest: waitingSchema.nullable() });
/** How many items are open, and since when the oldest is; null when none is. */
const inboxSchema = z.object({ count: z.number(), oldest: z.string().nullable() });
/** The numbers of the last four weeks, oldest first. */
const weeksSchema = z.object({ came: z.array(z.number()), left: z.array(z.number()) });

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
  feedback: inboxSchema,
  reports: inboxSchema,
  weeks: z.object({
    new: weeksSchema,
    "pending-update": weeksSchema,
    flagged: weeksSchema,
    "archive-requested": weeksSchema,
    feedback: weeksSchema,
    reports: weeksSchema,
  }),
  /** The admins with most decisions in four weeks. A deleted account has no name. */
  deciders: z.array(z.object({ id: z.string(), name: z.string().nullable(), count: z.number() })),
  newsletters: z.object({
    /** In each newsletter. */
    spots: z.number(),
    next: z.array(z.object({ date: z.string(), taken: z.number() })),
  }),
  failing: z.object({ plans: z.number(), refunds: z.number(), emails: z.number() }),
  /**
   * Pending updates that can't be approved because they have no owner email; up to a maximum, with
   * "more".
   */
  no_email: z.object({ total: z.number(), more: z.boolean() }),
  /** The new listings and edits that have waited longest. */
  longest: z.array(waitingSchema.extend({ status: z.string() })),
});

export type AdminDashboard = z.infer<typeof dashboardSchema>;

/** What is waiting for an admin, what fails, and how much there is of everything. For admins. */
export async function getAdminDashboard(db: Db): Promise<AdminDashboard> {
  return callFunction(db, "review_dashboard", {}, dashboardSchema);
}
