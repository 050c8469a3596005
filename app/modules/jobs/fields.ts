import { toFormValues } from "~/components/forms/form-state";
import type { FormLabels } from "~/http/submitted-form";
import { formatValue } from "~/text/values";

import { NOT_LISTED } from "./rules";

/** The fields of a job, as its form, its preview and the comparison of two versions call them. All are public while it is live. */
export const JOB_FIELDS = {
  title: "Job Title",
  category: "Category",
  description: "Description",
  full_time: "Full time",
  part_time: "Part time",
  contract: "Contract",
  pay_range: "Pay range",
  url: "Link for applying",
  location: "Location",
  city: "City",
  remote: "Can be done remotely",
  place_id: "Business",
  company_name: "Company Name",
  company_bio: "Company Bio",
  queer_owned: "The company is queer-owned",
  ally_owned: "The company is ally-owned",
  ally_safety: "How is it safe for queer and trans people?",
} as const;

export type JobField = keyof typeof JOB_FIELDS;
export const JOB_FIELD_NAMES = Object.keys(JOB_FIELDS) as JobField[];

/** How many characters each text may have: told beside it, and what the server and the database take. */
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

/** What people call the fields of the form, where the form itself is not. */
export const JOB_WORDS: FormLabels = { byField: JOB_FIELDS, codes: ["category", "place_id"] };

export const JOB_KINDS = [
  "full_time",
  "part_time",
  "contract",
] as const satisfies readonly JobField[];

/** A job as its form holds it. */
export function jobFormValues(
  job: Readonly<Record<JobField, unknown>>,
): Record<JobField, string | string[]> {
  const values = toFormValues(job, JOB_FIELD_NAMES);
  return { ...values, place_id: values.place_id || NOT_LISTED };
}

/** What the values of a job's form stand for. */
export interface JobChoices {
  categories: { id: number; name: string }[];
  /** The listings that a job may be posted for. */
  listings: { id: number; name: string }[];
}

/** A value of a job's form for reading. */
export function jobValueInWords(
  field: JobField,
  value: unknown,
  { categories, listings }: JobChoices,
): string {
  const named = (choices: JobChoices["listings"]) =>
    choices.find(({ id }) => String(id) === value)?.name;
  if (field === "category") return named(categories) ?? formatValue(value);
  if (field === "place_id")
    return (
      named(listings) ?? (value === NOT_LISTED ? "This business is not listed" : formatValue(value))
    );
  return formatValue(value);
}
