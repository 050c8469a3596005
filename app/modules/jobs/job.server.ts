import { z } from "zod";

import { HttpError } from "~/http/errors.server";
import { callFunction } from "~/integrations/supabase/call-function.server";
import type { Db } from "~/integrations/supabase/clients.server";
import { unwrap } from "~/integrations/supabase/data.server";
import { JOBS_PARENT, NO_PERMISSION } from "~/modules/listings/rules";

import type { JobOptions } from "./fields";
import { findPendingPayments } from "./pending-payments.server";

const COLUMNS =
  "id, title, category, description, pay_range, url, location, city, queer_owned, ally_owned, ally_safety, remote, full_time, part_time, contract, place_id, company_name, company_bio, owner, published, paid, expiration_date, filled_at, version";

/** The same response for a job of someone else and for a job that does not exist. */
export function noSuchJob(): HttpError {
  return new HttpError(404, "Job not found", NO_PERMISSION);
}

/**
 * Finds a job for its form, with its owner, the listings that it may be for, and whether a payment for
 * it is on its way. Row level
 * security decides whose: users find their own jobs, admins any.
 * @throws HttpError 404, DataError
 */
export async function findEditableJob(db: Db, id: number) {
  const [answer, pending] = await Promise.all([
    db
      .from("jobs")
      .select(
        `${COLUMNS}, place:places(id, name), person:profiles(id, full_name, listings:places!places_owner_fkey(id, name, status))`,
      )
      .eq("id", id)
      .maybeSingle(),
    findPendingPayments(db, { job: id }),
  ]);
  unwrap(answer);
  if (!answer.data) throw noSuchJob();
  const { place, person, ...job } = answer.data;
  const listings = (person?.listings ?? [])
    .filter(({ id, status }) => status !== "archived" || id === place?.id)
    .sort((a, b) => a.name.localeCompare(b.name));
  return {
    ...job,
    payment_pending: pending.has(id),
    person: person && { id: person.id, name: person.full_name },
    // The job's listing may belong to someone else by now. It stays selected.
    listings: (place && !listings.some(({ id }) => id === place.id)
      ? [place, ...listings]
      : listings
    ).map(({ id, name }) => ({ id, name })),
  };
}

export type EditableJob = Awaited<ReturnType<typeof findEditableJob>>;

/** The job categories, by name. @throws DataError */
export async function listJobCategories(db: Db): Promise<JobOptions["categories"]> {
  return unwrap(
    await db.from("categories").select("id, name").eq("parent_category", JOBS_PARENT).order("name"),
  );
}

/** The listings that an owner may post a job for: their own, by name. @throws DataError */
export async function listOwnListings(db: Db, ownerId: string): Promise<JobOptions["listings"]> {
  return unwrap(
    await db
      .from("places")
      .select("id, name")
      .eq("owner", ownerId)
      .neq("status", "archived")
      .order("name"),
  );
}

/** A job that the public can see. */
export interface LiveJob {
  id: number;
  title: string;
}

/** The paid jobs that the public can see with a listing, no matter who posted them. @throws DataError */
export async function listLiveJobs(db: Db, listing: number): Promise<LiveJob[]> {
  const jobs = unwrap(
    await db.from("public_jobs").select("id, title").eq("place_id", listing).order("id"),
  );
  return jobs.flatMap(({ id, title }) => (id === null || title === null ? [] : [{ id, title }]));
}

/** Whether the form of a new job has made one already. @param id its submission_id @throws DataError */
export async function hasMadeJob(db: Db, id: string): Promise<boolean> {
  return unwrap(await db.from("jobs").select("id").eq("submission_id", id).limit(1)).length > 0;
}

/** Finds a job to fill in a new one with; null when the user may not see such a job. @throws DataError */
export async function findJobToCopy(db: Db, id: number | null) {
  if (id === null) return null;
  const [job] = unwrap(await db.from("jobs").select(COLUMNS).eq("id", id));
  return job ?? null;
}

const jobPreview = z.object({
  id: z.number(),
  title: z.string(),
  category_name: z.string(),
  description: z.string(),
  pay_range: z.string().nullable(),
  url: z.string().nullable(),
  location: z.array(z.string()),
  city: z.string().nullable(),
  queer_owned: z.boolean(),
  ally_owned: z.boolean(),
  ally_safety: z.string().nullable(),
  remote: z.boolean(),
  full_time: z.boolean(),
  part_time: z.boolean(),
  contract: z.boolean(),
  /** Null when its listing isn't public and it names no company of its own: then no one sees it. */
  company_name: z.string().nullable(),
  company_bio: z.string().nullable(),
  /** Whether the public sees the job now. */
  live: z.boolean(),
  /**
   * For admins: the masked email address that a job without an account was posted with. (Absent from a database of the
   * previous release.)
   */
  owner_email: z.string().nullable().default(null),
});

/** A job as the public sees it, or would see it. */
export type JobPreview = z.infer<typeof jobPreview>;

/**
 * Finds a job as the public sees it: users find their own jobs, admins any.
 * @throws HttpError 404, DataError
 */
export async function findJobPreview(db: Db, id: number): Promise<JobPreview> {
  const job = await callFunction(db, "preview_job", { job_id: id }, jobPreview.nullable());
  if (!job) throw noSuchJob();
  return job;
}
