import { paths } from "~/http/paths";

/** The list that a job is in: its owner's, or that of admins. */
export const getJobList = (own: boolean) =>
  own ? { to: paths.jobs(), label: "Job Listings" } : { to: paths.adminJobs(), label: "All Jobs" };
