import { z } from "zod";

import type { LinkCounts } from "~/components/layout/navigation";
import { paths } from "~/http/paths";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { DataError } from "~/integrations/supabase/data.server";

/** How long a page waits for its counts. It is shown without them when they take longer. */
const LIMIT_MS = 1_000;

const amount = z.number().default(0);

const countsSchema = z
  .object({
    listings: amount,
    leads: amount,
    jobs: amount,
    new: amount,
    pending: amount,
    flagged: amount,
    reports: amount,
    feedback: amount,
    all_listings: amount,
    premium: amount,
    all_jobs: amount,
    users: amount,
  })
  .transform((counts): LinkCounts => {
    const byLink = {
      [paths.listings()]: counts.listings,
      [paths.leads()]: counts.leads,
      [paths.jobs()]: counts.jobs,
      [paths.adminNew()]: counts.new,
      [paths.adminPending()]: counts.pending,
      [paths.adminFlagged()]: counts.flagged,
      [paths.adminReports()]: counts.reports,
      [paths.adminFeedback()]: counts.feedback,
      [paths.adminListings()]: counts.all_listings,
      [paths.adminPremium()]: counts.premium,
      [paths.adminJobs()]: counts.all_jobs,
      [paths.adminUsers()]: counts.users,
    };
    return Object.fromEntries(Object.entries(byLink).filter(([, count]) => count > 0));
  });

/**
 * The counts beside the links of the sidebar. One database call, which runs beside that of the page; when it fails or
 * is slow, there are none.
 */
export async function readLinkCounts(db: Db): Promise<LinkCounts> {
  try {
    return await callFunction(db, "my_counts", {}, countsSchema, AbortSignal.timeout(LIMIT_MS));
  } catch (error) {
    if (error instanceof DataError) return {};
    throw error;
  }
}
