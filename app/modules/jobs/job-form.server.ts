import { json } from "@remix-run/node";

import { buildFormResult, parseForm, readField, type FormErrorData } from "~/http/form.server";
import type { RouteContext } from "~/http/route.server";
import { DataError } from "~/integrations/supabase/data.server";
import type { UserSummary } from "~/modules/accounts/user-picker";
import { findUsersForForm } from "~/modules/accounts/user-picker.server";
import { toFormErrors } from "~/http/refusals.server";

import { JOB_FIELD_NAMES } from "./fields";
import { jobSchema } from "./schema.server";
import { JOB_REFUSALS } from "./refusals";

/** What the editor gets when the form was not saved: the form, and the people an admin searched for. */
export interface JobFormData extends FormErrorData {
  found: UserSummary[] | null;
  /** Whether someone else saved a newer version. */
  stale: boolean;
  /** The page of the job that this form made before, when there is a newer version of it. */
  editPage?: string;
}

type Context = Pick<RouteContext<"signed in">, "db" | "session"> & { form: FormData };

interface ErrorOptions {
  /** Sentences by field; "" is the form as a whole. */
  errors?: Record<string, string[]>;
  status?: 400 | 409;
  stale?: boolean;
  editPage?: string;
}

/** Validates a job's form by the rules of its fields. @param savedLocations see jobSchema */
export const parseJobForm = (form: FormData, savedLocations: readonly string[] = []) =>
  parseForm(form, jobSchema(savedLocations));
type JobSubmission = ReturnType<typeof parseJobForm>;

// Only admins may search for people, whatever a form says.
const findSearchedPeople = async ({ db, session, form }: Context) =>
  session.user.admin ? ((await findUsersForForm(db, form)) ?? null) : null;

/** Returns the form with its values and every error. */
export async function jobErrorResponse(
  context: Context,
  submission: JobSubmission,
  { errors, status = 400, stale = false, ...newer }: ErrorOptions = {},
) {
  return json<JobFormData>(
    {
      lastResult: buildFormResult(submission, errors, JOB_FIELD_NAMES),
      found: await findSearchedPeople(context),
      stale,
      ...newer,
    },
    { status },
  );
}

/** Returns the form as it was typed, without validation: for "Find person", and after signing in again. */
export async function refillJobForm(context: Context) {
  const lastResult: FormErrorData["lastResult"] = {
    initialValue: parseJobForm(context.form).payload,
    error: {},
  };
  return json<JobFormData>({ lastResult, found: await findSearchedPeople(context), stale: false });
}

/** A draft, shown as the editor shows a form that came back. */
export const toJobResult = (fields: Record<string, string | string[]>): JobFormData => ({
  lastResult: { initialValue: fields, error: {}, stored: true },
  found: null,
  stale: false,
});

/** The form as it was typed, with the errors of a draft that can't be saved. */
export const typedJobResponse = (form: FormData, errors: Record<string, string[]>) =>
  json<JobFormData>(
    {
      lastResult: { initialValue: parseJobForm(form).payload, error: errors },
      found: null,
      stale: false,
    },
    { status: 400 },
  );

/** Whether the form was sent to search for a person, and not to be saved. */
export const isPersonSearch = (form: FormData) => readField(form, "intent") === "findPerson";

const CONSTRAINT_ERRORS: Readonly<Record<string, Record<string, string[]>>> = {
  jobs_category_fkey: { category: ["Choose a category."] },
  jobs_place_id_fkey: { place_id: ["Choose your business, or “This business is not listed”."] },
  jobs_owner_fkey: { owner: ["That account no longer exists. Choose someone else."] },
};

/** The form errors for a job that the database refused; null for any other failure. */
export function toJobFormErrors(error: unknown): Record<string, string[]> | null {
  if (!(error instanceof DataError) || error.failure !== "refused") return null;
  return CONSTRAINT_ERRORS[error.constraint ?? ""] ?? toFormErrors(error, JOB_REFUSALS);
}
