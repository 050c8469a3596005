import { toFormValues } from "~/components/forms/form-state";
import type { FormLabels } from "~/http/submitted-form";
import { formatValue } from "~/text/values";

import { NOT_LISTED } from "./rules";

/** The fields of a job with their labels. All are public while the job is live. */
export const JOB_FIELDS = {
  title: "Job Title",
  category: "Category",
  description: "Description",
  full_time: "Full time",
  part_time: "Part time",
  contract: "Contract",
  pay_range: "Pay range",
  url: "Application link",
  location: "Location",
  city: "City",
  remote: "Remote work possible",
  place_id: "Business",
  company_name: "Company Name",
  company_bio: "Company Bio",
  queer_owned: "The company is queer-owned",
  ally_owned: "The company is ally-owned",
  ally_safety: "How does your company support queer and trans people?",
} as const;

export type JobField = keyof typeof JOB_FIELDS;
export const JOB_FIELD_NAMES = Object.keys(JOB_FIELDS) as JobField[];

/** The maximum number of characters: shown beside the field, and enforced by server and database. */
export const JOB_LIMITS = {
  title: 200,
  description: 10_000,
  pay_range: 200,
  url: 2_000,
  city: 200,
  company_name: 200,
  company_bio: 5_000,
  ally_safety: 5_000,
} as const satisfies Partial<Record<JobField, number>>;

/** The labels of the fields, for pages that show a sent form without the form itself. */
export const JOB_FORM_LABELS: FormLabels = { byField: JOB_FIELDS, codes: ["category", "place_id"] };

export const JOB_KINDS = [
  "full_time",
  "part_time",
  "contract",
] as const satisfies readonly JobField[];

/** The values of a job in its form. */
export function toJobFormValues(
  job: Readonly<Record<JobField, unknown>>,
): Record<JobField, string | string[]> {
  const values = toFormValues(job, JOB_FIELD_NAMES);
  return { ...values, place_id: values.place_id || NOT_LISTED };
}

/** The values of an empty form. @param unlisted whether its user has no listings to choose from */
export const emptyJobForm = (unlisted: boolean): Record<JobField, string | string[]> => ({
  ...(Object.fromEntries(JOB_FIELD_NAMES.map((name) => [name, ""])) as Record<JobField, string>),
  place_id: unlisted ? NOT_LISTED : "",
});

/** The options of a job's form. */
export interface JobOptions {
  categories: { id: number; name: string }[];
  /** The listings that the job may be for. */
  listings: { id: number; name: string }[];
}

/** Formats a value of a job's form. */
export function formatJobValue(
  field: JobField,
  value: unknown,
  { categories, listings }: JobOptions,
): string {
  const findName = (options: JobOptions["listings"]) =>
    options.find(({ id }) => String(id) === value)?.name;
  if (field === "category") return findName(categories) ?? formatValue(value);
  if (field === "place_id")
    return (
      findName(listings) ??
      (value === NOT_LISTED ? "This business is not listed" : formatValue(value))
    );
  return formatValue(value);
}
