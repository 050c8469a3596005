/** Why the database refuses what a caller asked for, by the code that it raises. */
export const JOB_REFUSALS = {
  job_category_unknown: "Please choose a job category from the list.",
  job_location_unknown: "Please choose locations from the list.",
  job_unpaid: "This job hasn’t been paid for yet.",
  job_expired: "This job listing has expired.",
  job_not_published: "Only a published job can be marked as filled.",
  job_place_not_yours: "Please choose one of your own listings.",
} as const satisfies Readonly<Record<string, string>>;
