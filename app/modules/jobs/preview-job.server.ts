import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";

import { noSuchJob } from "./job.server";

/** A job as the public sees it, or would see it: `live` says which. */
export interface PublicJob {
  id: number;
  title: string;
  category_name: string;
  description: string;
  pay_range: string | null;
  url: string | null;
  location: string[];
  city: string | null;
  queer_owned: boolean;
  ally_owned: boolean;
  ally_safety: string | null;
  remote: boolean;
  full_time: boolean;
  part_time: boolean;
  contract: boolean;
  company_name: string;
  company_bio: string | null;
  live: boolean;
}

/**
 * A job for looking at it as the public does: the person's own, or any for an admin.
 * @throws HttpError 404 with the same words whether it is another's or does not exist
 */
export async function previewJob(db: Db, id: number | null): Promise<PublicJob> {
  const job =
    id === null
      ? null
      : (unwrap(await db.rpc("preview_job", { job_id: id })) as unknown as PublicJob | null);
  if (!job) throw noSuchJob();
  return job;
}
