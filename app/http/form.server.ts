import type { Submission } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { json } from "@remix-run/node";
import { z } from "zod";

import { FORM_TOKEN_FIELD } from "./csrf.server";
import {
  isSecretField,
  pickFormLabels,
  REFILL_INTENT,
  REFILL_STASH,
  toOriginalFields,
  type FormLabels,
  type PostedField,
  type SubmittedForm,
} from "./submitted-form";

/** The data of a response to a form with errors. `createFormState` reads it. */
export interface FormErrorData {
  lastResult: {
    /** The submitted values, without passwords. */
    initialValue: Record<string, unknown>;
    /** Error messages by field, in the order of the page; "" is the form as a whole. */
    error: Record<string, string[]>;
    /** Whether the values come from a stored draft. */
    stored?: boolean;
  };
}

/** Validates a posted form against its schema. Never throws for invalid values. */
export function parseForm<S extends z.ZodType>(
  form: FormData,
  schema: S,
): Submission<z.output<S>, string[]> {
  return parseWithZod(form, { schema });
}

/**
 * A posted form as it was typed, for a response that comes before its rules are checked, such as that
 * to too many attempts.
 */
export const asTyped = (form: FormData): Submission<unknown, string[]> =>
  parseForm(form, z.unknown());

/** The value of one text field of a posted form; "" when it was not sent. */
export function readField(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

export interface FormErrorOptions {
  /** Error messages by field; "" is the form as a whole. */
  errors?: Record<string, string[]>;
  status?: 400 | 409 | 429 | 500 | 503;
  headers?: Record<string, string>;
}

/**
 * The result of a submission: its values and its errors, those of its schema and the given ones.
 * Passwords and codes are never sent back.
 * @param order the names of the fields as the page has them. When left out: as they were sent, and those
 *   that were not sent (unchecked boxes) last
 */
export function buildFormResult(
  submission: Submission<unknown, string[]>,
  errors: Record<string, string[]> = {},
  order: readonly string[] = Object.keys(submission.payload),
): FormErrorData["lastResult"] {
  const hideFields = Object.keys(submission.payload).filter(isSecretField);
  const { initialValue, error } = submission.reply({ hideFields });
  const all = { ...error };
  for (const [name, messages] of Object.entries(errors))
    all[name] = [...(all[name] ?? []), ...messages];
  return {
    initialValue: initialValue ?? {},
    error: sortByPage(all, order),
  };
}

/**
 * The response to a form with errors. Its page shows the submitted values and the errors.
 * @param options.status 400 when left out
 */
export function formErrorResponse(
  submission: Submission<unknown, string[]>,
  options: FormErrorOptions = {},
) {
  const lastResult = buildFormResult(submission, options.errors);
  return json<FormErrorData>(
    { lastResult },
    { status: options.status ?? 400, headers: options.headers },
  );
}

/** The fields of a form that is to be refilled, as they were first submitted. */
export function toRefillForm(form: FormData): FormData {
  const fields = new FormData();
  for (const [name, value] of form) {
    if (name === REFILL_INTENT) fields.append("intent", value);
    else if (!["intent", REFILL_STASH, FORM_TOKEN_FIELD].includes(name) && !isSecretField(name))
      fields.append(name, value);
  }
  return fields;
}

/** The response to the intent `refill`: the submitted values, without errors. */
export function refillResponse(form: FormData) {
  return json<FormErrorData>({ lastResult: buildFormResult(asTyped(form)) });
}

/** The errors in the order of the page. Browsers send its fields in that order. */
function sortByPage(
  errors: Record<string, string[] | null>,
  order: readonly string[],
): Record<string, string[]> {
  const position = (path: string) => {
    const index = order.indexOf(path.split(/[.[]/, 1)[0] ?? path);
    return index < 0 ? order.length : index;
  };
  const present = Object.entries(errors).filter(
    (entry): entry is [string, string[]] => entry[1] !== null,
  );
  return Object.fromEntries(present.sort(([a], [b]) => position(a) - position(b)));
}

/**
 * The part of a form that is stored or sent back: its fields without passwords and form token. A
 * form that was on its way to be refilled counts as it was first submitted.
 */
export function toSubmittedForm(
  request: Request,
  form: FormData,
  labels: FormLabels | undefined,
): SubmittedForm {
  const { pathname, search } = new URL(request.url);
  const posted = [...form].filter(
    (entry): entry is PostedField =>
      typeof entry[1] === "string" && entry[0] !== FORM_TOKEN_FIELD && !isSecretField(entry[0]),
  );
  const fields = toOriginalFields(posted);
  return { action: `${pathname}${search}`, fields, labels: pickFormLabels(fields, labels) };
}

/** The names of a schema's required fields, for the `required` attribute of their controls. */
export function getRequiredFields(schema: z.ZodType): string[] {
  return Object.entries(getZodConstraint(schema))
    .filter(([name, { required, multiple }]) => required && !multiple && !name.includes("["))
    .map(([name]) => name);
}
