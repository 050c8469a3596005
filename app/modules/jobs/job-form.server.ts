import { json } from "@remix-run/node";

import { readField, parseForm, buildFormResult, type FormErrorData } from "~/http/form.server";
import type { RouteContext } from "~/http/route.server";
import type { UserSummary } from "~/modules/accounts/user-picker";
import { findUsersForForm } from "~/modules/accounts/user-picker.server";

import { jobSchema } from "./schema.server";

/** What the editor gets back when the form was not saved: the form, and whom an admin was looking for. */
export interface JobAnswer extends FormErrorData {
  found: UserSummary[] | null;
  stale: boolean;
}

type Context = Pick<RouteContext<"signed in">, "db" | "session"> & { form: FormData };

interface Answer {
  errors?: Record<string, string[]>;
  status?: 400 | 409;
  stale?: boolean;
}

/** A job's form, judged by the rules of its fields. */
export const parseJob = (form: FormData, savedLocations: readonly string[] = []) =>
  parseForm(form, jobSchema(savedLocations));
export type JobSubmission = ReturnType<typeof parseJob>;

// Nobody but an admin may look for people, whatever their form says.
const foundIn = async ({ db, session, form }: Context) =>
  session.user.admin ? ((await findUsersForForm(db, form)) ?? null) : null;

/** Gives the form back, with everything in it and every reason it was not saved. */
export async function giveBack(
  context: Context,
  submission: JobSubmission,
  { errors, status = 400, stale = false }: Answer = {},
) {
  return json<JobAnswer>(
    { lastResult: buildFormResult(submission, errors), found: await foundIn(context), stale },
    { status },
  );
}

/** Gives the form back as it was typed, judged by nobody: for "Find person", and after somebody was signed out. */
export async function refillJob(context: Context) {
  const lastResult: FormErrorData["lastResult"] = {
    initialValue: parseJob(context.form).payload,
    error: {},
  };
  return json<JobAnswer>({ lastResult, found: await foundIn(context), stale: false });
}

/** Whether the form was sent to look for somebody, and not to be saved. */
export const looksForPerson = (form: FormData) => readField(form, "intent") === "findPerson";
