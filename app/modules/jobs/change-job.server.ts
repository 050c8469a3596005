import type { Db } from "~/integrations/supabase/clients.server";
import { DataError, unwrap } from "~/integrations/supabase/data.server";

import { noSuchJob } from "./job.server";
import { whyNot, type JobSwitch } from "./rules";

/**
 * What a job's state follows from, with its title and whose it is: the person's own, or any for an admin.
 * @throws HttpError 404 with the same words whether it is another's or does not exist
 */
export async function jobFacts(db: Db, id: number | null) {
  if (id === null) throw noSuchJob();
  const answer = await db
    .from("jobs")
    .select("id, title, owner, paid, published, expiration_date, filled_at")
    .eq("id", id)
    .maybeSingle();
  unwrap(answer);
  if (!answer.data) throw noSuchJob();
  return answer.data;
}

const CHANGES: Readonly<
  Record<JobSwitch, (now: Date) => { published: boolean } | { filled_at: string | null }>
> = {
  unpublish: () => ({ published: false }),
  republish: () => ({ published: true }),
  fill: (now) => ({ filled_at: now.toISOString() }),
  reopen: () => ({ filled_at: null }),
};

/**
 * Publishes a job, unpublishes it, says that it is filled or that it is not. Done twice, it is the same.
 * @returns the job as it was before, and why it could not be done, in words, when it could not
 * @throws HttpError 404, DataError
 */
export async function changeJob(db: Db, id: number | null, intent: JobSwitch, now: Date) {
  const job = await jobFacts(db, id);
  const refusal = whyNot(job, intent, now);
  if (refusal !== null) return { job, refusal };
  try {
    unwrap(await db.from("jobs").update(CHANGES[intent](now)).eq("id", job.id));
  } catch (error) {
    // It expired in this very moment.
    if (error instanceof DataError && error.code === "P0001")
      return { job, refusal: error.message };
    throw error;
  }
  return { job, refusal: null };
}
