import { JOB_EXPIRED, JOB_NOT_PUBLISHED, JOB_UNPAID } from "./rules";

/** Why the database refuses what a caller asked for, by the code that it raises. */
export const JOB_REFUSALS = {
  job_category_unknown: "Please choose a job category from the list.",
  job_location_unknown: "Please choose locations from the list.",
  job_unpaid: JOB_UNPAID,
  job_expired: JOB_EXPIRED,
  job_not_published: JOB_NOT_PUBLISHED,
  too_many_new_jobs: "You’ve reached the daily limit for new jobs.",
  too_many_job_changes: "You’ve reached the hourly limit for changes to jobs.",
  job_place_not_yours: "Please choose one of your own listings.",
} as const satisfies Readonly<Record<string, string>>;
